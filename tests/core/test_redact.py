"""Secrets leave the text whole, whatever carries them; what only looks like one stays."""

from __future__ import annotations

import json
import os
import random
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import redaction, secret_shapes
from sleepd.core.redact import OVERLAP, Clipped, redact, redact_all
from sleepd.core.redact_needles import fresh, needles

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
LIMIT = 16_000
HISTORIES = Path(os.environ.get("SLEEPD_TEST_HISTORIES", "/nowhere"))  # noqa: TID251  a developer's own folder


def chars(alphabet: str, length: int, seed: str) -> str:
    """Random characters, the same for a seed: two digits at least where there are any, a letter or digit at both ends."""
    rng = random.Random(seed)
    wanted = 2 if set(string.digits) <= set(alphabet) else 0
    while True:
        text = "".join(rng.choice(alphabet) for _ in range(length))
        if text[0].isalnum() and text[-1].isalnum() and sum(c.isdigit() for c in text) >= wanted:
            return text


def made(name: str, shape: str, alphabet: str, length: int) -> tuple[str, str, str]:
    part = chars(alphabet, length, name)
    return name, shape.replace("@@", part), part


def luhn(prefix: str, length: int) -> str:
    body = prefix + chars(string.digits, length - 1 - len(prefix), prefix)
    for last in string.digits:
        digits = [int(c) for c in body + last][::-1]
        if sum(digits[0::2] + [sum(divmod(2 * d, 10)) for d in digits[1::2]]) % 10 == 0:
            return body + last
    raise AssertionError


def card(name: str, prefix: str, length: int, groups: tuple[int, ...], gap: str) -> tuple[str, str, str]:
    number = luhn(prefix, length)
    pieces, at = [], 0
    for size in groups:
        pieces.append(number[at : at + size])
        at += size
    written = gap.join(pieces)
    return name, f"pay {written} today", written


def pem(kind: str, newline: str, lines: int = 4) -> tuple[str, str, str]:
    body = newline.join(chars(BASE64, 64, f"{kind}{i}") for i in range(lines))
    dashes = "-" * 5
    text = f"{dashes}BEGIN {kind}PRIVATE KEY{dashes}{newline}{body}{newline}{dashes}END {kind}PRIVATE KEY{dashes}"
    return f"pem {kind}{newline!r}", text, body


# Shapes are put together from pieces, so that no scanner of repositories takes this file for a leak.
SK, GH, GL, PW = "s" + "k-", "gh", "gl" + "pat-", "pass" + "word"
SECRETS = [
    made("aws id", "AK" + "IA@@", UPPER, 16),
    made("aws session id", "AS" + "IA@@", UPPER, 16),
    made("aws secret env", "AWS_SECRET_ACCESS_KEY=@@", BASE64, 40),
    made("aws secret ini", "aws_secret_access_key = @@", BASE64, 40),
    made("aws secret json", '"SecretAccessKey": "@@"', BASE64, 40),
    made("aws session token", "aws_session_token=@@", BASE64, 340),
    *[made(f"github {c}", f"{GH}{c}_@@", ALNUM, 36) for c in "pousr"],
    made("github fine", "github" + "_pat_@@", ALNUM + "_", 82),
    made("gitlab", GL + "@@", URLSAFE, 20),
    made("gitlab deploy", "gl" + "dt-@@", URLSAFE, 20),
    made("gitlab runner", "gl" + "rt-@@", URLSAFE, 20),
    made("gitlab ci", "gl" + "cbt-64_@@", URLSAFE, 20),
    made("slack bot", "xo" + "xb-123456789012-123456789012-@@", ALNUM, 24),
    made("slack user", "xo" + "xp-1234567890-@@", ALNUM, 32),
    made("slack app", "xa" + "pp-1-A012ABCDEF-@@", HEX, 64),
    made("slack hook", "https://hooks.slack" + ".com/services/T01ABCDEF/B01ABCDEF/@@", ALNUM, 24),
    made("discord hook", "https://discord" + ".com/api/webhooks/123456789012345678/@@", URLSAFE, 68),
    made("openai old", SK + "@@", ALNUM, 48),
    made("openai project", SK + "proj-@@", URLSAFE, 120),
    made("anthropic", SK + "ant-api03-@@AA", URLSAFE, 93),
    made("openrouter", SK + "or-v1-@@", HEX, 64),
    made("stripe live", "s" + "k_live_@@", ALNUM, 24),
    made("stripe restricted", "r" + "k_live_@@", ALNUM, 99),
    made("stripe public", "p" + "k_live_@@", ALNUM, 24),
    made("stripe test", "s" + "k_test_@@", ALNUM, 24),
    made("google key", "AI" + "za@@", URLSAFE, 35),
    made("google oauth", "ya" + "29.@@", URLSAFE, 120),
    made("jwt", "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" + "J@@.c2lnbmF0dXJlLXBhcnQ", ALNUM, 60),
    made("jwt signature", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.@@", URLSAFE, 43),
    made("npm", "np" + "m_@@", ALNUM, 36),
    made("pypi", "py" + "pi-AgEIcHlwaS5vcmc@@", URLSAFE, 120),
    made("hugging face", "h" + "f_@@", string.ascii_letters, 34),
    made("sendgrid", "S" + "G.@@.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG", URLSAFE, 22),
    made("telegram", "123456789" + ":AA@@", URLSAFE, 33),
    made("telegram url", "https://api.telegram.org/bot123456789" + ":AA@@/getMe", URLSAFE, 33),
    made("discord", "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GaBcDe.@@", URLSAFE, 38),
    made("twilio", "S" + "K@@", HEX, 32),
    made("twilio token", "TWILIO_AUTH_TOKEN=@@", HEX, 32),
    made("docker", "dc" + "kr_pat_@@", URLSAFE, 27),
    made("shopify", "sh" + "pat_@@", HEX, 32),
    made("postgres", "postgres://app:@@@db.internal:5432/main", ALNUM, 16),
    made("redis", "redis://:@@@cache:6379/0", ALNUM, 20),
    made("mongo", "mongodb+srv://admin:@@@cluster0.abcde.mongodb.net/?w=majority", ALNUM + "!$", 18),
    made("basic auth url", "https://deploy:@@@git.example.org/team/repo.git", ALNUM, 24),
    made("bearer", "Authorization: Bearer @@", URLSAFE, 32),
    made("basic", "Authorization: Basic @@==", BASE64, 30),
    made("header json", '"authorization": "Bearer @@"', ALNUM, 40),
    made("header curl", "curl -H 'Authorization: token @@' https://api.example.org", HEX, 40),
    made("curl user", "curl -u deploy:@@ https://example.org", ALNUM, 14),
    made("yaml", f"{PW}: @@", ALNUM, 12),
    made("env", f"DB_{PW.upper()}=@@", ALNUM + "!%^*", 16),
    made("env export", f"export PG{PW.upper()}='@@'", ALNUM + "#&;|", 16),
    made("python", f'{PW} = "@@"', ALNUM + "$#@!", 14),
    made("python typed", f'{PW}: str = "@@"', ALNUM, 14),
    made("keyword argument", f'connect(host="db", {PW}="@@", port=1)', ALNUM, 14),
    made("json", f'{{"user": "u", "{PW}": "@@"}}', ALNUM + "'<>", 16),
    made("quote inside", f'"{PW}": "Qz8\\"@@"', ALNUM, 12),
    made("option", f"mysqldump --{PW} @@ --all-databases", ALNUM, 12),
    made("option equals", f"mysqldump --{PW}=@@ --all-databases", ALNUM, 12),
    made("api key json", '"api_' + 'key": "@@"', ALNUM, 24),
    made("api key camel", "api" + "Key: '@@',", ALNUM, 24),
    made("api key query", "GET /v1/items?api_" + "key=@@&page=2", ALNUM, 24),
    made("secret key", "SECRET_" + "KEY=django-@@", ALNUM + "#^*_", 40),
    made("client secret", "client_" + "secret: @@", ALNUM, 32),
    made("token hex", "access_" + 'token = "@@"', HEX, 40),
    made("npmrc", "//registry.example.org/:_auth" + "Token=@@", HEX, 40),
    made("xml", f"<{PW}>@@</{PW}>", ALNUM, 12),
    made("azure", "DefaultEndpointsProtocol=https;Account" + "Key=@@==;EndpointSuffix=x", BASE64, 86),
    made("word before", "the api " + "key is @@", HEX, 32),
    made("bare base64", "copied @@ from the console", ALNUM, 40),
    made("bare urlsafe", "value @@ end", ALNUM, 43),
    card("visa", "4", 16, (16,), ""),
    card("visa spaced", "45", 16, (4, 4, 4, 4), " "),
    card("mastercard", "53", 16, (4, 4, 4, 4), "-"),
    card("amex", "37", 15, (4, 6, 5), " "),
    card("discover", "6011", 16, (16,), ""),
    pem("RSA ", "\n"),
    pem("", "\n"),
    pem("OPENSSH ", "\n", 8),
    pem("EC ", "\\n"),
    pem("ENCRYPTED ", "\\\\n"),
]

CARRIERS = {
    "plain": "see {} there",
    "alone": "{}",
    "start": "{} and more",
    "end": "more and {}",
    "line": "first\n{}\nlast",
    "escaped newline": "first\\n{}\\nlast",
    "escaped tab": "first\\t{}\\tlast",
    "json escape": "a\\u0020{}\\u003c",
    "colour": "\x1b[32m{}\x1b[0m",
    "diff": "@@ -1 +1 @@\n+{}\n",
    "removed": "\n-{}\n",
    "backticks": "`{}`",
    "brackets": "({})",
    "after wide text": "ключ \U0001f511 {} 終",
}


def survivors(part: str, text: str) -> list[str]:
    """Runs of eight characters of the secret that can still be read."""
    size = min(8, len(part))
    return [part[i : i + size] for i in range(len(part) - size + 1) if part[i : i + size] in text]


@pytest.mark.parametrize(("name", "secret", "part"), SECRETS, ids=[s[0] for s in SECRETS])
def test_a_secret_leaves_no_readable_run(name: str, secret: str, part: str) -> None:
    """Whatever carries a secret, no eight characters of its random part are left, and the marker says so."""
    for carrier, around in CARRIERS.items():
        result = redact(around.format(secret), LIMIT)
        assert (carrier, []) == (carrier, survivors(part, result.text))
        assert "[redacted:" in result.text, carrier
        assert result.found, carrier


@pytest.mark.slow
def test_texts_searched_together_come_out_as_each_alone() -> None:
    """Secrets at the edge of a text, texts without any, clipped ones, and more letters than one search takes."""
    rng = random.Random(0)
    texts = [Clipped(secret, LIMIT) for _, secret, _ in SECRETS]
    texts += [Clipped("", 5), Clipped("plain words, no secret", 9), Clipped("4111 1111 1111 1111", LIMIT)]
    texts += [Clipped(f"word {secret} " * 30, rng.randrange(1, 900)) for _, secret, _ in SECRETS]
    texts += [Clipped(f"{n} harmless words " * 2_000, LIMIT) for n in range(20)]
    rng.shuffle(texts)
    assert [redact(text, limit) for text, limit in texts] == redact_all(texts)
    assert [] == redact_all([])


@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("\\n", " "), ("/", "/"), ("hvs.", ""), ('"id": "', '"'), ("~", ".")]
)
def test_ids_in_plain_form_are_judged_by_their_neighbours(before: str, after: str) -> None:
    """A UUID alone is no secret; as the rest of a vendor's token it is."""
    id_ = "0a1b2c3d-0000-4111-8222-abcdef012345"
    assert before in ("hvs.",) or f"x {before}{id_}{after} y" == redact(f"x {before}{id_}{after} y", LIMIT).text
    assert before != "hvs." or ("vendor-token",) == redact(f"x {before}{id_}{after} y", LIMIT).found


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("name", "secret", "part"), SECRETS, ids=[s[0] for s in SECRETS])
def test_a_secret_is_found_inside_json(name: str, secret: str, part: str, depth: int) -> None:
    """A tool result is often JSON, or JSON within JSON: quotes and newlines around the secret are escaped."""
    text = f"log line\n{secret}\nnext line"
    for _ in range(depth):
        text = json.dumps({"output": text})
        part = json.dumps(part)[1:-1]
    assert [] == survivors(part, redact(text, LIMIT).text)


@pytest.mark.parametrize(("name", "secret", "part"), SECRETS, ids=[s[0] for s in SECRETS])
def test_a_secret_on_the_cut_goes_whole(name: str, secret: str, part: str) -> None:
    """Wherever the cut falls in a secret, no eight characters of it are left, and the text stays within its limit."""
    limit = 300
    for hidden in range(min(limit - 20, len(secret)) + 1):
        text = ("lorem ipsum " * 40)[: limit - hidden - 1] + " " + secret + " dolor" * 200
        result = redact(text[: limit + OVERLAP], limit)
        assert [] == survivors(part, result.text), hidden
        assert limit >= len(result.text)


@pytest.mark.parametrize("name", ["jwt", "openai project", "github p", "aws id", "slack bot", "google key", "pypi"])
def test_a_token_cut_short_by_the_clip_goes_by_its_prefix(name: str) -> None:
    """A token of which the clipped text shows too little for its rule is still taken out."""
    secret = next(s for n, s, _ in SECRETS if n == name)
    for shown in range(6, len(secret)):
        text = "x" * 99 + " " + secret[:shown]
        result = redact(text, len(text) - 1)
        assert secret[: shown - 1] not in result.text
        assert result.found


def test_what_the_cut_makes_into_a_secret_goes_too() -> None:
    """Twenty digits are no card number, their first sixteen may be one: the result is looked at again."""
    number = luhn("4", 16)
    text = "x" * 50 + f" {number}1234 and more"
    assert text == redact(text, LIMIT).text
    assert number not in redact(text, 67).text


def test_a_marker_that_just_fits_is_kept() -> None:
    """With room for one character less it is left out, and what follows with it."""
    token = next(s for n, s, _ in SECRETS if n == "github p")
    marker = "[redacted:github-token]"
    text = f"see {token} and more"
    assert [f"see {marker}", "see "] == [redact(text, 4 + len(marker) - less).text for less in (0, 1)]


@pytest.mark.parametrize(
    ("issuer", "prefix", "length", "groups", "gap"),
    [
        ("visa of 13", "4", 13, (4, 4, 4, 1), " "),
        ("visa of 19", "4", 19, (19,), ""),
        ("visa of 19 in groups", "4", 19, (4, 4, 4, 7), "-"),
        ("mastercard of the second series", "2221", 16, (4, 4, 4, 4), " "),
        ("diners", "36", 14, (4, 6, 4), " "),
        ("diners of the oldest", "305", 14, (14,), ""),
        ("jcb", "3528", 16, (4, 4, 4, 4), " "),
        ("unionpay", "62", 17, (17,), ""),
        ("discover of the newest", "644", 16, (16,), ""),
        ("maestro", "6759", 13, (13,), ""),
    ],
)
def test_a_number_of_each_issuer_is_a_card(
    issuer: str, prefix: str, length: int, groups: tuple[int, ...], gap: str
) -> None:
    """In the groups it is printed with, and in a row of two."""
    _, text, written = card(issuer, prefix, length, groups, gap)
    assert "pay [redacted:card] today" == redact(text, LIMIT).text
    assert "[redacted:card], [redacted:card]" == redact(f"{written}, {written}", LIMIT).text


def test_cards_in_one_row_of_groups_are_told_apart() -> None:
    """The gap between two numbers is the gap within them."""
    _, _, written = card("visa", "45", 16, (4, 4, 4, 4), " ")
    assert "[redacted:card] [redacted:card]" == redact(f"{written} {written}", LIMIT).text


@pytest.mark.parametrize(
    "text",
    [
        f"id={luhn('4', 16)}",
        f"x{luhn('4', 16)}",
        f"9{luhn('4', 16)}",
        f"{luhn('4', 19)}7",
        f"{luhn('4', 16)[:15]}7",
        luhn("9", 16),
    ],
    ids=["an id", "behind a letter", "behind a digit", "before a digit", "wrong check digit", "nobody's prefix"],
)
def test_a_number_that_is_no_card_stays(text: str) -> None:
    """Part of a longer word or number, with a wrong check digit, or of no known issuer."""
    assert text == redact(text, LIMIT).text


def test_a_key_block_without_an_end_goes_to_the_end_of_the_text() -> None:
    """The clip may have taken the END line: what follows BEGIN is the key."""
    text = pem("RSA ", "\n", 400)[1][:9_000]
    assert redact("key:\n" + text, LIMIT).text == "key:\n[redacted:private-key]"
    assert redact("key:\n" + text, 5_000).text == "key:\n[redacted:private-key]"


def test_line_numbers_and_indentation_do_not_hide_a_key() -> None:
    """The Read tool prefixes each line with its number."""
    _, text, body = pem("RSA ", "\n")
    shown = "\n".join(f"{i:>6}\u2192    {line}" for i, line in enumerate(text.split("\n"), 1))
    result = redact(shown, LIMIT)
    assert result.found == ("private-key",)
    assert [] == [line for line in body.split("\n") if line in result.text]


SHA = "3f786850e387550fdab836ed7e6dc881de23001b"
DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
INNOCENTS = [
    "def test_the_harvester_reads_a_live_file_twice(tmp_path: Path) -> None:",
    "password = get_password()",
    "password = os.environ['DB_PASSWORD']",
    "self.password = password",
    "password: str | None = None",
    'password = ""',
    "password=None, token=None, secret=None",
    'parser.add_argument("--password", help="the password to use")',
    "Enter your password:",
    '"password": "Please enter your password"',
    "passwords must match; the token is missing",
    "if token == expected_token:",
    "token = tokens[0]",
    "max_tokens=4096, total_tokens: 123456",
    "input_tokens: 12345678, output_tokens=99999999",
    "tokenizer = AutoTokenizer.from_pretrained('all-MiniLM-L6-v2')",
    "API_KEY=${API_KEY}",
    "api_key: <your-api-key>",
    "api_key = settings.api_key",
    "export TOKEN=$(cat token.txt)",
    'client_secret = "your-client-secret-here"',
    "the secret: keep functions small",
    "monkey = 'capuchin'; keyboard: qwerty-layout-2",
    "PRIMARY KEY (id), FOREIGN KEY (user_id)",
    "for key, value in items.items():",
    "compass: north; bypass=true; passed: 1234, failed: 0",
    "550e8400-e29b-41d4-a716-446655440000",
    "session 019ab84e-7c1d-7000-8000-0123456789ab started",
    "request with token 550e8400-e29b-41d4-a716-446655440000 was refused",
    f"commit {SHA}",
    f"Merge {SHA[:12]}..{SHA[12:24]}",
    f"sha256:{DIGEST}",
    f"FROM python@sha256:{DIGEST}",
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
    "golang.org/x/sys v0.1.0 h1:kunALQeHf1/185U1i0GOB/fy1IPRDDpuOOqRReG57U0=",
    "SHA256:uNiVztksCsDhcc0u9e8BrJQXVUpKZIDTMczCvj3tD2s root@host (RSA)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPbQ1Qz9dJH0kP3yXzW5vJc8K4mT7sL2aB6nE9rF0gHi user@host",
    "/usr/lib/python3.11/site-packages/sklearn/utils/_openmp_helpers.cpython-311-x86_64-linux-gnu.so",
    "node_modules/.pnpm/@typescript-eslint+parser@6.21.0_eslint@8.57.0/node_modules/typescript/lib/lib.es2022.d.ts",
    "src/components/UserRepositoryIntegrationTestHelperV2/index.test.tsx:42:7",
    "https://example.org:8080/path?email=someone@example.org",
    "https://github.com/owner/repo/blob/main/README.md#L10-L20",
    "git clone ssh://git@github.com:22/owner/repo.git",
    "postgres://${DB_USER}:${DB_PASSWORD}@localhost/app",
    "mail someone@example.org about it",
    "<img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='>",
    "created 1732095600000 and 1732095600000000000 ns",
    '"id": 4532015112830366',
    "ratio 0.4532015112830366",
    "order 4532015112830367 and order 4532 0151 1283 0367",
    "phone +49 30 1234567 and order 1234-5678-9012",
    "toolu_01A9Zb7Yc6Xd5We4Vf3Ug2 req_011CaA9Zb7Yc6Xd5We4Vf3",
    "chatcmpl-A9Zb7Yc6Xd5We4Vf3Ug2Th1Si0Rj",
    "-" * 80 + "\n" + "=" * 80 + "\n" + "_" * 80,
    "task-runner-configuration-for-the-whole-team-2024-edition",
    "risk-assessment-2024 disk-usage-report-2023 sk-learn-contrib-packages-list",
    "MAX_RETRIES_BEFORE_GIVING_UP_ON_SERVER_2 = 3",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQk7d8fJ5a0ZzR3v9KQ2mXw4TnPcwCgYIKoZIzj0EAwIw\n-----END CERTIFICATE-----",
    'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    raise Refused("no keys")',
    "npm_config_user_agent=npm/10.2.4 npm_package_dependencies_typescript",
    "Bearer authentication and basic understanding-of-the-protocol",
    "key=lambda item: item.name, keys=['a', 'b']",
    "ignore vscode-userdata:/home/u/settings.json and [evaluating-use-cases](https://docs.example.org/a)",
    "see https://downloads.1password.com/win/1PasswordSetup-latest-version2.exe",
    "docker run -u 1000:1000 --rm image",
    "--- PASS: TestShellCompletion (0.01s)\n    --- PASS: TestShellCompletion/with_profile (0.00s)\nPASS\nok  shop/cli 0.4s",
    "    --- PASS: TestParse/#00 (0.00s)\n    --- PASS: TestParse/old_format:_7_hex_chars (0.00s)",
    '- All tests pass: `mise run test:ci`\n- Pass `sessions` to `print_all`, a pass ("be green") is wanted',
    "agent_msg_01Qrd7BCbvvGWNnqjsHj1aSJ session-2026-02-10T23-57-9f5659bb.json",
    "from .tool_search_tool_bm25_20251119_param import ToolSearchToolBm25_20251119Param",
    "token: CancellationToken, password: SecretString, secret = hashlib.sha256(text)",
    'password = form.cleaned_data["password"]; token = self._tokens.pop(); auth = get_auth()',
    '"bos_token": "eos_token_id", auth_header = expected_authorization',
    "git checkout -b feature/login-page && mkdir -p build/cache && docker run -p 8080:80 shop",
    "mysql -P 3306 -p shop; the signature=valid, feature=enabled; login -p",
    "Cookie: theme=dark; lang=de",
    'model = load("Qwen/Qwen3-Next-80B-A3B-Instruct")',
    "users log in with a password or a token is sent to them; the secret is to keep it short",
]


@pytest.mark.parametrize("text", INNOCENTS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Code, hashes, ids, paths, placeholders and public keys are not touched."""
    assert (text, ()) == (redact(text, LIMIT).text, redact(text, LIMIT).found)
    inside = json.dumps({"output": text})
    assert inside == redact(inside, LIMIT).text


PIECES = st.one_of(
    st.sampled_from([secret for _, secret, _ in SECRETS]),
    st.sampled_from(INNOCENTS),
    st.sampled_from(
        ["\n", "\\n", " ", '"', "\\", "=", ": ", "password", "-----BEGIN RSA PRIVATE KEY-----", "[redacted:jwt]"]
    ),
    st.text(max_size=12),
    st.text(alphabet=st.characters(categories=["Cs", "Nd", "Lu"]), max_size=5),
)


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join), st.integers(0, 400))
def test_redacting_twice_changes_nothing(text: str, limit: int) -> None:
    """The result is stable, never longer than the limit, and made of nothing but the text and markers."""
    once = redact(text[: limit + OVERLAP], limit)
    assert limit >= len(once.text)
    assert once.text == redact(once.text, limit).text


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300), st.integers(0, 300))
def test_any_text_is_answered(text: str, limit: int) -> None:
    """Control characters, lone surrogates and characters of any plane raise nothing."""
    assert limit >= len(redact(text, limit).text)


def test_a_lone_surrogate_is_kept() -> None:
    """Text that cannot be encoded is text nevertheless."""
    assert "a \ud83d b" == redact("a \ud83d b", 10).text


def test_each_secret_is_counted_under_its_rule_in_order() -> None:
    """`found` tells the reader of a report what was taken out."""
    secrets = {name: secret for name, secret, _ in SECRETS}
    text = f"{secrets['github p']} then {secrets['json']} then {secrets['visa']}"
    assert ("github-token", "password", "card") == redact(text, LIMIT).found


def test_the_text_around_a_secret_stays_readable() -> None:
    """Only the value goes, not the name, the quotes or the host."""
    secrets = {name: secret for name, secret, _ in SECRETS}
    assert "postgres://app:[redacted:url-password]@db.internal:5432/main" == redact(secrets["postgres"], LIMIT).text
    assert f'{PW} = "[redacted:password]"' == redact(secrets["python"], LIMIT).text
    assert "Authorization: Bearer [redacted:authorization]" == redact(secrets["bearer"], LIMIT).text
    assert "first\\n[redacted:github-token]\\nlast" == redact(f"first\\n{secrets['github p']}\\nlast", LIMIT).text


def test_a_quoted_value_ends_where_its_quote_ends() -> None:
    """A backslash before the quote belongs to the value or to the quote, by their number and by the depth of the JSON."""
    value = "Qz8" + chars(ALNUM, 9, "ends")
    for ending in ("", "\\", '"', '\\"', "\\\\"):
        text, wanted = (json.dumps({PW: each, "user": "root"}) for each in (value + ending, "[redacted:password]"))
        for _ in range(3):
            assert wanted == redact(text, LIMIT).text
            text, wanted = json.dumps(text), json.dumps(wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["=", ":", "a", "-", "eyJ", "eyJ-", "sk-", "-----BEGIN", "-----BEGIN RSA PRIVATE KEY-----", "password=", 'password="', "://a:",
     "://a:b", "Authorization: ", "bearer ", "4111 ", "4111", "api_key", "token: \\", "A1b/", "a1-", ":AA", "gh" + "p_", "\\", "--token "],
)  # fmt: skip
def test_a_megabyte_of_one_piece_ends(unit: str) -> None:
    """No input makes a rule take more than linear time (a quadratic one would not end within the test's lifetime)."""
    text = unit * (1_000_000 // len(unit))
    assert len(text) >= len(redact(text, len(text)).text)


def test_every_needle_is_found_at_any_offset() -> None:
    """The table of pairs sees a literal at even and odd offsets and at the very end."""
    for at in range(4):
        text = "." * at + "PassWord"
        assert [at] == needles(text.encode())
    assert [1] == needles(b".key")


def test_a_token_begins_after_a_boundary_or_an_escape() -> None:
    """A letter before the token matters only when it is a letter of the text."""
    assert not fresh("risk-", 2)
    assert fresh("\\nsk-", 2)
    assert fresh("[31msk-", 4)
    assert not fresh("namsk-", 3)


@pytest.mark.parametrize("seed", range(3))
def test_secrets_in_the_formats_of_the_world_are_found(seed: int) -> None:
    """167 shapes of commands, files, programs and requests, three of each: at least 99 in 100 go."""
    cases = secret_shapes.planted(seed=seed)
    missed = [case.shape for case in cases if secret_shapes.left(case, redact(case.text, LIMIT).text)]
    assert len(cases) == 3 * 167
    assert len(missed) <= 0.01 * len(cases), missed


@pytest.mark.skipif(not HISTORIES.is_dir(), reason="needs real transcripts")
def test_real_transcripts_lose_hardly_anything() -> None:
    """Of a thousand texts of more than 20 characters, at most one has something taken out (these hold no secrets)."""
    texts = list(redaction.texts(HISTORIES))
    assert 0.001 * len(texts) >= sum(bool(redact(text[: LIMIT + OVERLAP], LIMIT).found) for text in texts)
