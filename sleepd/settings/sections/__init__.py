"""The sections of `config.toml`: one class each, one field for each key. `sleepd.settings.settings` joins them."""
