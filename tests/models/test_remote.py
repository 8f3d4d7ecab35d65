"""Both provider adapters, through the real SDKs, against the stub: one typed outcome for whatever a provider does."""

from __future__ import annotations

import dataclasses
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models.openai import named
from sleepd.models.remote import RemoteModel
from sleepd.models.settings import ModelSettings
from tests.models.conftest import FROM_SETTINGS, KEY, Make, settings_for
from tests.stub.server import WRONG_KEY, Stub


def ask(prompt: str, **changes: Any) -> Ask:
    return dataclasses.replace(Ask(purpose=CallPurpose.ROLLOUT, system="You are terse.", prompt=prompt), **changes)


def failure(model: RemoteModel, prompt: str) -> Failure:
    outcome = model.ask(ask(prompt))
    assert isinstance(outcome, Failure), outcome
    return outcome


OUTCOMES = [
    ("unauthorised", Cause.AUTH),
    ("forbidden", Cause.AUTH),
    ("unknown-model", Cause.AUTH),
    ("rate-limited", Cause.QUOTA),
    ("no-quota", Cause.QUOTA),
    ("no-credit", Cause.QUOTA),
    ("billing", Cause.QUOTA),
    ("limit-notice", Cause.QUOTA),
    ("dated-notice", Cause.QUOTA),
    ("login-notice", Cause.AUTH),
    ("overloaded", Cause.NETWORK),
    ("broken", Cause.NETWORK),
    ("bad-parameter", Cause.NETWORK),
    ("cut", Cause.NETWORK),
    ("error-in-200", Cause.NETWORK),
    ("prompt-too-long", Cause.OVERLONG),
    ("max-tokens", Cause.OVERLONG),
    ("filtered", Cause.REFUSED),
    ("refusal", Cause.REFUSED),
    ("empty", Cause.MALFORMED),
    ("blank", Cause.MALFORMED),
    ("not-json", Cause.MALFORMED),
    ("half-json", Cause.MALFORMED),
    ("false-gzip", Cause.MALFORMED),
    ("json-list", Cause.MALFORMED),
    ("no-content", Cause.MALFORMED),
]


@pytest.mark.parametrize(("scenario", "cause"), OUTCOMES)
def test_every_way_to_fail_has_a_cause_and_one_line(make: Make, scenario: str, cause: Cause) -> None:
    """Whatever a provider does becomes a Failure with a cause and a one-line message that never holds the key."""
    outcome = failure(make(), f"stub:{scenario}")
    assert cause == outcome.cause, outcome
    assert 0 < len(outcome.message) <= 300
    assert "\n" not in outcome.message
    assert KEY not in outcome.message


def test_an_answer_is_a_reply_with_its_tokens(make: Make) -> None:
    """A normal answer comes back as text with the provider's token counts, and without a cost when no price is set."""
    outcome = make().ask(ask("stub:hello"))
    assert isinstance(outcome, Reply)
    assert "Hello from the stub." == outcome.text
    assert outcome.tokens_in and outcome.tokens_out
    assert outcome.cost_usd is None


def test_cost_follows_from_the_stated_price(make: Make) -> None:
    """With prices set, the cost is tokens times price."""
    outcome = make(price_in_per_mtok=3.0, price_out_per_mtok=15.0).ask(ask("stub:hello"))
    assert isinstance(outcome, Reply)
    assert outcome.tokens_in is not None and outcome.tokens_out is not None
    expected = (3 * outcome.tokens_in + 15 * outcome.tokens_out) / 1_000_000
    assert pytest.approx(expected) == outcome.cost_usd


def test_system_prompt_and_limit_reach_the_provider(make: Make, stub: Stub) -> None:
    """The request carries the system text, the prompt and the reply limit; an empty system text is left out."""
    make().ask(ask("stub:hello first", max_tokens=77))
    sent = str(stub.requests[-1].body)
    assert "You are terse." in sent
    assert "77" in sent
    make().ask(ask("stub:hello second", system=""))
    body = stub.requests[-1].body
    assert "system" not in body
    assert ["user"] == [message["role"] for message in body["messages"]]


def test_the_key_reaches_the_provider_and_no_log(make: Make, stub: Stub) -> None:
    """The key is sent as a header and shows up neither in the body nor in the settings' repr."""
    make().ask(ask("stub:hello"))
    assert "[hidden]" == stub.requests[-1].headers["authorization"]
    assert KEY not in repr(settings_for("openai", stub.url))


def test_a_wrong_key_is_told_apart(make: Make) -> None:
    """A key that the provider rejects is AUTH, and the message names the variable to check, not the key."""
    outcome = failure(make(api_key=WRONG_KEY), "stub:hello")
    assert Cause.AUTH is outcome.cause
    assert "_API_KEY" in outcome.message
    assert WRONG_KEY not in outcome.message
    named = failure(make(api_key=WRONG_KEY, key_from="SOME_VARIABLE"), "stub:hello")
    assert "check SOME_VARIABLE, " in named.message and named.asked


@pytest.mark.parametrize("key", [None, "", " \n", "two words", "schlüssel", "a\nb"])
def test_without_a_usable_key_nothing_is_called(make: Make, stub: Stub, key: str | None) -> None:
    """A missing or mangled key is AUTH with a remedy, and no request leaves the machine."""
    before = len(stub.requests)
    outcome = failure(make(api_key=key), "stub:hello")
    assert Cause.AUTH is outcome.cause
    assert "_API_KEY" in outcome.message
    assert before == len(stub.requests) and not outcome.asked


def test_a_pasted_newline_does_not_spoil_the_key(make: Make) -> None:
    """White space around a key is dropped."""
    assert isinstance(make(api_key=f" {KEY}\n").ask(ask("stub:hello")), Reply)


def test_retry_at_is_the_providers_time(make: Make) -> None:
    """A limit's reset time is counted from the provider's own clock."""
    outcome = failure(make(), "stub:rate-limited")
    now = datetime.now(UTC)  # noqa: TID251 - the stub's clock is this machine's
    assert outcome.retry_at is not None
    assert timedelta(minutes=59) < outcome.retry_at - now < timedelta(minutes=61)


def test_a_dated_notice_states_its_reset(make: Make) -> None:
    """A notice with an epoch in it gives the reset time."""
    assert datetime(2025, 8, 21, 20, 0, tzinfo=UTC) == failure(make(), "stub:dated-notice").retry_at


def test_a_long_limit_is_not_waited_for(make: Make, stub: Stub, pauses: list[float]) -> None:
    """A provider that asks for an hour gets one request and no pause, although retries are left."""
    before = len(stub.requests)
    failure(make(max_retries=5, timeout_s=10_000), "stub:rate-limited long")
    assert 1 == len(stub.requests) - before
    assert [] == pauses


def test_a_wait_beyond_the_deadline_is_not_begun(make: Make, stub: Stub, pauses: list[float]) -> None:
    """When the stated wait does not fit into the time that is left, the failure comes at once."""
    before = len(stub.requests)
    assert Cause.QUOTA is failure(make(timeout_s=15), "stub:rate-limited-a-while").cause
    assert 1 == len(stub.requests) - before
    assert [] == pauses


def test_a_provider_may_forbid_the_retry(make: Make, stub: Stub) -> None:
    """`x-should-retry: false` is obeyed."""
    before = len(stub.requests)
    failure(make(), "stub:broken-for-good")
    assert 1 == len(stub.requests) - before


def test_a_spent_allowance_is_not_asked_again(make: Make, stub: Stub) -> None:
    """`insufficient_quota` looks like a rate limit but does not pass: one request only."""
    before = len(stub.requests)
    failure(make(max_retries=5), "stub:no-quota once")
    assert 1 == len(stub.requests) - before


def test_retries_are_bounded(make: Make, stub: Stub, pauses: list[float]) -> None:
    """An overload is retried `max_retries` times, with growing pauses, and then given up."""
    before = len(stub.requests)
    failure(make(max_retries=3), "stub:overloaded bounded")
    assert 4 == len(stub.requests) - before
    assert [0.5, 1.0, 2.0] == pauses


@pytest.mark.parametrize(
    ("scenario", "wait_s"), [("overloaded-once", 0.5), ("rate-limited-once", 1.0)], ids=["overload", "rate limit"]
)
def test_a_passing_failure_is_mended(
    make: Make, adapter: str, pauses: list[float], scenario: str, wait_s: float
) -> None:
    """A short overload or rate limit costs a pause, not the answer; a stated wait is kept."""
    assert isinstance(make().ask(ask(f"stub:{scenario} {adapter}")), Reply)
    assert [wait_s] == pauses


@pytest.mark.parametrize("scenario", ["hang", "drip"])
def test_silence_and_dripping_both_end_at_the_deadline(make: Make, stub: Stub, scenario: str) -> None:
    """The deadline holds for a silent server and for one that sends a byte now and then; neither is retried."""
    before = len(stub.requests)
    outcome = failure(make(timeout_s=0.3), f"stub:{scenario}")
    assert Cause.TIMEOUT is outcome.cause
    assert "0.3 s" in outcome.message
    assert 1 == len(stub.requests) - before


def test_nobody_listening_is_network(make: Make, adapter: str, pauses: list[float]) -> None:
    """A refused connection is NETWORK after the retries, and the message says so."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    outcome = failure(make(base_url=f"http://127.0.0.1:{port}/v1"), "stub:hello")
    assert Cause.NETWORK is outcome.cause
    assert "refused" in outcome.message
    assert 2 == len(pauses)


def test_lone_surrogates_reach_the_provider_as_replacement(make: Make, stub: Stub) -> None:
    """A prompt with a cut emoji is sent, not fatal."""
    outcome = make().ask(ask("stub:hello \ud83d!", system="\udc00"))
    assert isinstance(outcome, Reply)
    assert "\ufffd!" in str(stub.requests[-1].body)


def test_threads_share_one_model(make: Make) -> None:
    """Eight threads asking at once all get an answer."""
    model = make()
    ready = threading.Barrier(8)

    def one(n: int) -> Reply | Failure:
        ready.wait()
        return model.ask(ask(f"stub:hello {n}"))

    with ThreadPoolExecutor(8) as pool:
        assert ["Hello from the stub."] * 8 == [r.text for r in pool.map(one, range(8)) if isinstance(r, Reply)]


def test_close_gives_back_connections_and_the_next_ask_opens_them(make: Make) -> None:
    """A closed model can be used again."""
    model = make()
    model.close()
    assert isinstance(model.ask(ask("stub:hello")), Reply)
    model.close()
    assert isinstance(model.ask(ask("stub:hello")), Reply)


def test_the_key_names_what_matters(stub: Stub, adapter: str) -> None:
    """The key holds adapter, model, temperature, seed and host, and never the API key."""
    host = stub.url.removeprefix("http://")
    plain = FROM_SETTINGS[adapter](settings_for(adapter, stub.url)).key
    assert f"{adapter}:stub:t=default@{host}" == plain
    warm = FROM_SETTINGS[adapter](settings_for(adapter, stub.url, temperature=0.0, seed=7, base_url=None)).key
    assert f"{adapter}:stub:t=0:seed=7" == warm


def test_temperature_is_sent_only_when_set(make: Make, stub: Stub, adapter: str) -> None:
    """Unset parameters are left to the provider; a set temperature comes with the API version that knows it."""
    make().ask(ask("stub:hello"))
    assert "temperature" not in stub.requests[-1].body
    make(temperature=0.2).ask(ask("stub:hello"))
    assert 0.2 == stub.requests[-1].body["temperature"]
    if adapter == "anthropic":
        assert "2023-06-01" == stub.requests[-1].headers["anthropic-version"]


def test_openai_tells_draws_apart_by_seed(stub: Stub) -> None:
    """`seed + sample` is sent when a seed is set, and nothing otherwise."""
    seeded = FROM_SETTINGS["openai"](settings_for("openai", stub.url, seed=40))
    seeded.ask(ask("stub:hello", sample=2))
    assert 42 == stub.requests[-1].body["seed"]
    plain = FROM_SETTINGS["openai"](settings_for("openai", stub.url))
    plain.ask(ask("stub:hello", sample=2))
    assert "seed" not in stub.requests[-1].body
    seeded.close()
    plain.close()


def test_compatible_servers_get_the_old_name_of_the_limit(stub: Stub) -> None:
    """Servers other than OpenAI's own are sent `max_tokens`."""
    model = FROM_SETTINGS["openai"](settings_for("openai", stub.url))
    model.ask(ask("stub:hello", max_tokens=9))
    assert 9 == stub.requests[-1].body["max_tokens"]
    assert "max_completion_tokens" not in stub.requests[-1].body
    model.close()


@pytest.mark.parametrize("name", ["azure", "openrouter", "deepseek", "minimax", "qwen", "vllm", "ollama", "lmstudio"])
def test_a_named_backend_speaks_the_protocol_at_its_address(name: str, stub: Stub) -> None:
    """Azure's at the part of a resource that has it; the model's key says which backend it was."""
    address = stub.url if name == "azure" else f"{stub.url}/v1"
    model = named(ModelSettings(name=name, model="m", base_url=address, api_key=KEY))
    with closing(model):
        assert isinstance(model.ask(ask("stub:hello")), Reply)
    assert ("/openai/v1" if name == "azure" else "/v1") + "/chat/completions" == stub.requests[-1].path
    assert model.key.startswith(f"{name}:m:")


def test_a_server_of_ones_own_needs_no_key_and_a_provider_does(stub: Stub) -> None:
    """The message names the provider's own variable."""
    local = named(ModelSettings(name="ollama", model="m", base_url=f"{stub.url}/v1"))
    with closing(local):
        assert isinstance(local.ask(ask("stub:hello")), Reply)
    told = failure(named(ModelSettings(name="deepseek", model="m", base_url=f"{stub.url}/v1")), "stub:hello")
    assert "DEEPSEEK_API_KEY" in told.message and not told.asked


def test_azure_without_an_address_says_where_it_belongs() -> None:
    """Every resource has its own."""
    with pytest.raises(BadSettings, match="AZURE_OPENAI_ENDPOINT"):
        named(ModelSettings(name="azure", model="m", api_key=KEY))
