"""Settings: where they come from, which wins, and what a mistake says."""

from __future__ import annotations

import tomllib
from dataclasses import FrozenInstanceError
from datetime import timedelta
from pathlib import Path

import pytest

from sleepd.core.errors import BadSettings
from sleepd.settings import config
from sleepd.settings.places import make_private
from sleepd.settings.sections import GateConfig, ModelConfig, ReflectionConfig
from sleepd.settings.settings import Settings
from sleepd.settings.values import window


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def complaint(file: Path, text: str) -> str:
    """What `load` says about a file."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadSettings) as caught:
        config.load(file)
    return str(caught.value)


class TestOrigins:
    def test_without_a_file_the_defaults_hold(self) -> None:
        """No file, no variable, nothing on the command line: the defaults, none of which spends money."""
        settings = config.load()
        assert Settings() == settings
        assert (None, None, None) == (settings.model.name, settings.night.max_calls, settings.night.budget_usd)

    def test_the_later_origin_wins_key_by_key(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Command line over variable over file over default, each for its own keys only."""
        file.write_text("[gate]\nalpha = 0.01\nbeta = 0.02\nsmallest_effect = 0.03\n")
        monkeypatch.setenv("SLEEPD_GATE__BETA", "0.2")
        monkeypatch.setenv("SLEEPD_GATE__SMALLEST_EFFECT", "0.3")
        gate = config.load(file, {"gate.smallest_effect": 0.4}).gate
        assert (0.01, 0.2, 0.4, 1_000) == (gate.alpha, gate.beta, gate.smallest_effect, gate.max_pairs)

    def test_an_option_that_was_not_given_changes_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """None on the command line means that nobody asked."""
        monkeypatch.setenv("SLEEPD_NIGHT__MAX_CALLS", "7")
        assert 7 == config.load(overrides={"night.max_calls": None}).night.max_calls

    def test_the_usual_file_is_found(self, own_home: Path) -> None:
        """The file in the user's settings folder is read without being named."""
        usual = own_home / ".config" / "sleepd" / "config.toml"
        make_private(usual.parent)
        usual.write_text('[gate]\nrule = "strict"\n')
        assert "strict" == config.load().gate.rule

    def test_a_list_in_a_variable_is_split_at_commas(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """`a, b` needs no quoting in a shell."""
        monkeypatch.setenv("SLEEPD_HARVEST__AGENTS", "codex, copilot-cli")
        assert ("codex", "copilot-cli") == config.load().harvest.agents

    def test_an_empty_variable_counts_as_unset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """`SLEEPD_MODEL__NAME=` in a service file does not make a model without a name."""
        monkeypatch.setenv("SLEEPD_MODEL__NAME", "")
        assert config.load().model.name is None

    def test_a_byte_order_mark_is_no_mistake(self, file: Path) -> None:
        """Editors on Windows write one."""
        file.write_bytes(b"\xef\xbb\xbf[gate]\nalpha = 0.01\n")
        assert 0.01 == config.load(file).gate.alpha

    def test_settings_do_not_change(self) -> None:
        """A section is frozen, so what a night started with is what it ends with."""
        with pytest.raises(FrozenInstanceError):
            Settings().gate.alpha = 0.5  # type: ignore[misc]

    def test_made_by_hand_nothing_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """`Settings()` looks at no variable: only `load` does."""
        monkeypatch.setenv("SLEEPD_GATE__ALPHA", "0.4")
        assert 0.05 == Settings().gate.alpha
        assert 0.3 == Settings(gate=GateConfig(alpha=0.3)).gate.alpha


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("[gate]\nalhpa = 0.1", "unknown key 'gate.alhpa' (did you mean 'alpha'?)"),
            ("[gaet]\nalpha = 0.1", "'gaet' (did you mean 'gate'?)"),
            ("alpha = 0.1", "'alpha'; it belongs under [gate]"),
            ('[gate]\nalpha = "small"', 'gate.alpha: got "small", wanted a valid number'),
            ("[model]\nmax_retries = true", "model.max_retries: got true, wanted a value other than true or false"),
            ("[gate]\nalpha = inf", "gate.alpha: got inf, wanted a finite number"),
            ("[gate]\nalpha = 0.7", "gate.alpha: got 0.7, wanted a number less than or equal to 0.5"),
            ('[gate]\nrule = "loose"', "got \"loose\", wanted 'evidence', 'strict' or 'off'"),
            ("gate = 3", "gate: got 3, wanted a table, written [gate]"),
            ("[harvest]\nagents = 3", 'harvest.agents: got 3, wanted a list such as ["a", "b"]'),
            ('[harvest]\nsince = "a while"', '"all" or a number of days such as "30d"'),
            ('[night]\nat = "25:00"', 'a time of day such as "03:17"'),
            ("[mine]\nsplit_val = 0.9", "together below 1"),
            ("[mine]\nsimilarity = 0.97", "near_duplicate above similarity"),
            ("[model]\nprice_in_per_mtok = 1.0", "both prices"),
            ('[model]\nbase_url = "localhost:80"', "begins with http:// or https://"),
        ],
    )
    def test_one_line_names_file_key_and_remedy(self, file: Path, text: str, says: str) -> None:
        """Every mistake in the file is one line that begins with the file's path."""
        message = complaint(file, text)
        assert message.startswith(f"{file}: ")
        assert says in message
        assert "\n" not in message

    @pytest.mark.parametrize(
        ("text", "position"),
        [
            ("[gate]\nalpha = 0.1,\n", "line 2, column 12"),
            ("[gate", "line 1, column 6"),
            ('[gate]\nrule = """open', "line 2, column 15"),
        ],
    )
    def test_malformed_toml_names_line_and_column(self, file: Path, text: str, position: str) -> None:
        """A stray comma never turns the file into defaults."""
        message = complaint(file, text)
        assert f"{file}: not TOML" in message
        assert position in message

    def test_bytes_that_are_not_utf8_are_said_to_be(self, file: Path) -> None:
        """A file in another encoding is refused with the offending place."""
        file.write_bytes(b"[gate]\n# \xe9t\xe9\n")
        with pytest.raises(BadSettings, match="not UTF-8 at byte 9"):
            config.load(file)

    def test_a_named_file_must_exist(self, file: Path) -> None:
        """A path that was asked for is not quietly replaced by the defaults."""
        with pytest.raises(BadSettings, match="no such file"):
            config.load(file)

    def test_a_folder_in_place_of_the_file_is_said_to_be(self, tmp_path: Path) -> None:
        """With the path and the remedy."""
        with pytest.raises(BadSettings, match="is a folder; move it away, then `sleepd init`"):
            config.load(tmp_path)

    def test_more_than_one_mistake_is_counted(self, file: Path) -> None:
        """The line shows the first and says that there are others."""
        assert "(and 2 more)" in complaint(file, "[gate]\nalpha = 7\nbeta = 7\nsmallest_effect = 7")

    def test_a_variable_cannot_hide_a_mistake_in_the_file(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file is judged alone first: tomorrow the variable may be gone."""
        monkeypatch.setenv("SLEEPD_GATE__ALPHA", "0.01")
        assert "gate.alpha" in complaint(file, "[gate]\nalpha = 7")

    @pytest.mark.parametrize(
        ("name", "value", "says"),
        [
            ("SLEEPD_GATE__ALHPA", "0.1", "(did you mean 'SLEEPD_GATE__ALPHA'?)"),
            ("SLEEPD_GATE", "{}", "unknown variable SLEEPD_GATE"),
            ("SLEEPD_GATE__ALPHA", "small", 'SLEEPD_GATE__ALPHA: gate.alpha: got "small"'),
            ("SLEEPD_MINE__SPLIT_VAL", "0.9", "environment: mine: wanted split_val and split_test"),
        ],
    )
    def test_a_mistake_in_a_variable_names_the_variable(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
    ) -> None:
        """A misspelt variable is an error, not a setting that silently has no effect."""
        monkeypatch.setenv(name, value)
        with pytest.raises(BadSettings) as caught:
            config.load()
        assert says in str(caught.value)

    @pytest.mark.parametrize(("key", "value"), [("gate.alpha", 7), ("mine.split_val", 0.9), ("gate.alhpa", 0.1)])
    def test_a_mistake_on_the_command_line_names_it(self, key: str, value: float) -> None:
        """What was asked for is validated like the file, and blamed on the command line."""
        with pytest.raises(BadSettings, match=r"^command line: "):
            config.load(overrides={key: value})


class TestKeys:
    def test_sleepds_own_variable_comes_before_the_providers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A key of its own gives sleepd a bill of its own."""
        monkeypatch.setenv("ANTHROPIC_API_KEY", "theirs")
        assert "theirs from ANTHROPIC_API_KEY" == revealed("anthropic")
        monkeypatch.setenv("SLEEPD_API_KEY", "ours")
        assert "ours from SLEEPD_API_KEY" == revealed("anthropic")

    def test_one_providers_key_is_not_given_to_another(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An adapter gets its provider's key or none."""
        monkeypatch.setenv("ANTHROPIC_API_KEY", "theirs")
        assert (None, None) == (config.api_key("openai"), config.api_key("simulated"))

    def test_a_key_does_not_show_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Neither in a message nor in a log line."""
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        assert "sk-secret" not in f"{config.api_key('openai')!r} {config.api_key('openai')}"

    @pytest.mark.parametrize(
        "text", ['[model]\napi_key = "sk-1"', 'OPENAI_API_KEY = "sk-1"', '[model]\ntoken = "sk-1"']
    )
    def test_a_key_in_the_file_is_refused_without_repeating_it(self, file: Path, text: str) -> None:
        """The message says where keys belong, and does not carry the key into a terminal or a log."""
        message = complaint(file, text)
        assert "set SLEEPD_API_KEY or ANTHROPIC_API_KEY or OPENAI_API_KEY" in message
        assert "sk-1" not in message

    def test_a_login_in_an_address_is_refused_without_repeating_it(self, file: Path) -> None:
        """The same holds for `https://user:password@host`."""
        message = complaint(file, '[model]\nbase_url = "https://me:hunter2@example.org"')
        assert "without a login" in message
        assert "hunter2" not in message


def revealed(adapter: str) -> str | None:
    key = config.api_key(adapter)
    return f"{key.value.get_secret_value()} from {key.variable}" if key else None


class TestPlaces:
    def test_usual_places_on_linux(self, own_home: Path) -> None:
        """The XDG folders, below the user's home."""
        places = config.places()
        assert own_home / ".config/sleepd/config.toml" == places.config
        assert own_home / ".local/share/sleepd/sleepd.db" == places.database
        assert own_home / ".local/state/sleepd" == places.state

    def test_one_variable_moves_everything(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """`SLEEPD_HOME` holds settings, database and state."""
        monkeypatch.setenv("SLEEPD_HOME", str(tmp_path))
        places = config.places()
        assert (tmp_path / "config.toml", tmp_path / "sleepd.db") == (places.config, places.database)
        assert {tmp_path / "state"} == {places.log.parent, places.lock.parent}

    def test_a_private_folder_is_the_owners_alone(self, tmp_path: Path) -> None:
        """So are the folders made above it; what existed keeps its rights."""
        tmp_path.chmod(0o755)
        make_private(tmp_path / "a" / "b")
        modes = [(tmp_path / part).stat().st_mode & 0o777 for part in ("", "a", "a/b")]
        assert [0o755, 0o700, 0o700] == modes

    def test_only_the_agents_own_variables_reach_the_harvesters(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No key and no other variable is handed down."""
        for name in config.AGENT_VARIABLES:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("CODEX_HOME", "/elsewhere")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        assert {"CODEX_HOME": "/elsewhere"} == config.agent_env()

    def test_variables_in_force_are_listed_without_their_values(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Doctor can say what a scheduled night would not see, and what nobody reads."""
        monkeypatch.setenv("SLEEPD_API_KEY", "sk-secret")
        monkeypatch.setenv("SLEEPD_GATE__ALPHA", "0.1")
        monkeypatch.setenv("SLEEPD_NIGTH__AT", "01:00")
        found = config.stray_variables()
        assert ["SLEEPD_API_KEY", "SLEEPD_GATE__ALPHA", "SLEEPD_NIGTH__AT"] == [v.name for v in found]
        assert ["sets gate.alpha", None] == [v.effect for v in found[1:]]
        assert "sk-secret" not in str(found)


class TestWrittenFile:
    def test_as_written_it_means_the_defaults(self, file: Path) -> None:
        """The file of `sleepd init` changes nothing until somebody edits it."""
        file.write_text(config.default_config_toml(), encoding="utf-8")
        assert Settings() == config.load(file)

    def test_every_line_can_be_uncommented(self, file: Path) -> None:
        """Each `# key = value` is valid as it stands, and every key is there."""
        text = config.default_config_toml()
        for key in config.known_keys():
            text = text.replace(f"\n# {key.partition('.')[2]} = ", f"\n{key.partition('.')[2]} = ")
        file.write_text(text, encoding="utf-8")
        config.load(file)
        written = [f"{section}.{key}" for section, keys in tomllib.loads(text).items() for key in keys]
        assert list(config.known_keys()) == written

    def test_what_was_chosen_is_written_as_a_setting(self, file: Path) -> None:
        """Answers given to `sleepd init` survive quotes and lists."""
        chosen: dict[str, object] = {"harvest.since": "30d", "model.model": 'a "b" \\ é', "harvest.agents": ("codex",)}
        file.write_text(config.default_config_toml(chosen), encoding="utf-8")
        settings = config.load(file)
        assert ("30d", ("codex",)) == (settings.harvest.since, settings.harvest.agents)
        assert 'a "b" \\ é' == settings.model.model

    def test_every_key_says_what_it_does(self) -> None:
        """A setting without a description cannot be in the reference."""
        text = config.default_config_toml()
        lines = text.splitlines()
        keys = [i for i, line in enumerate(lines) if line.startswith("# ") and " = " in line and lines[i - 1] == ""]
        assert [] == [lines[i] for i in keys]


class TestWords:
    def test_a_window_is_days_or_everything(self) -> None:
        """ "30d" is thirty days; "all" has no beginning."""
        assert timedelta(days=30) == window("30d")
        assert window("all") is None

    @pytest.mark.parametrize("word", ["", "0d", "30", "-3d", "3w", "ALL", "99999999d"])
    def test_any_other_window_is_refused(self, word: str) -> None:
        """No guess is made at what was meant."""
        with pytest.raises(ValueError, match="30d"):
            window(word)

    def test_reflection_is_the_task_model_unless_told_otherwise(self) -> None:
        """Absent keys of `[reflection]` mean those of `[model]`."""
        model = ModelConfig(name="openai", model="a", base_url="http://127.0.0.1:1/v1", timeout_s=9)
        assert model == Settings(model=model).for_reflection()

    def test_another_reflection_model_does_not_inherit_the_price(self) -> None:
        """A price is a fact about one model; a wrong one would break the budget unseen."""
        model = ModelConfig(name="openai", model="a", price_in_per_mtok=1, price_out_per_mtok=2, timeout_s=9)
        other = Settings(model=model, reflection=ReflectionConfig(model="b")).for_reflection()
        assert ("openai", "b", None, None, 9) == (
            other.name,
            other.model,
            other.price_in_per_mtok,
            other.price_out_per_mtok,
            other.timeout_s,
        )

    def test_another_reflection_adapter_does_not_inherit_address_and_model(self) -> None:
        """Requests for one provider never go to the other's address."""
        model = ModelConfig(name="openai", model="a", base_url="http://127.0.0.1:1/v1")
        other = Settings(model=model, reflection=ReflectionConfig(name="anthropic", model="b")).for_reflection()
        assert ("anthropic", "b", None) == (other.name, other.model, other.base_url)

    def test_the_reflection_model_has_an_address_a_key_and_a_price_of_its_own(self) -> None:
        """A strong model for reflections often lives elsewhere than the one that works."""
        own = {"base_url": "http://127.0.0.1:2/v1", "key_variable": "STRONG_KEY", "timeout_s": 300.0}
        priced = {"price_in_per_mtok": 5.0, "price_out_per_mtok": 25.0}
        model = ModelConfig(name="openai", model="a", base_url="http://127.0.0.1:1/v1", key_variable="WORK_KEY")
        other = Settings(model=model, reflection=ReflectionConfig(model="b", **own, **priced)).for_reflection()
        assert {**own, **priced} == {key: getattr(other, key) for key in (*own, *priced)}

    def test_another_reflection_adapter_does_not_inherit_the_key_nor_what_it_may_not_take(self) -> None:
        """A key for one provider is never shown to another; a command takes no temperature."""
        model = ModelConfig(name="openai", model="a", key_variable="WORK_KEY", temperature=0.5, seed=3)
        other = Settings(model=model, reflection=ReflectionConfig(name="claude", model="b")).for_reflection()
        assert (None, None, None) == (other.key_variable, other.temperature, other.seed)


class TestBackends:
    def test_a_named_variable_holds_the_key_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Else a key for another server could be sent where it does not belong."""
        monkeypatch.setenv("SLEEPD_API_KEY", "general")
        assert config.api_key("openai", "WORK_KEY") is None
        monkeypatch.setenv("WORK_KEY", "own")
        found = config.api_key("openai", "WORK_KEY")
        assert found is not None and ("own", "WORK_KEY") == (found.value.get_secret_value(), found.variable)

    def test_a_command_is_never_given_the_general_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It would make calls cost money that the plan has paid for."""
        monkeypatch.setenv("SLEEPD_API_KEY", "general")
        assert config.api_key("claude") is None and config.api_key("deepseek") is not None

    def test_an_address_comes_from_the_providers_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Else it is the usual one; a provider's SDK knows its own."""
        assert "http://127.0.0.1:8000/v1" == config.address("qwen")
        monkeypatch.setenv("QWEN_CHAT_BASE_URL", "http://127.0.0.1:9/v1")
        assert "http://127.0.0.1:9/v1" == config.address("qwen")
        assert config.address("openai") is None and config.address("of-a-package") is None
