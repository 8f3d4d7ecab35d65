"""The sections of `config.toml`: one class each, one field for each key. `sleepd.app.settings` puts them together."""
