"""Secrets as they stand in terminals, configuration files and programs: 167 shapes, filled at random from a seed.

The shapes were written from the formats themselves, before the rules of `sleepd.core.redact` were read, and a third of them
(`KEPT`) was first tried after the last change of the rules. A template holds `⟦kind:length⟧` where a secret stands and `⟨kind:length⟩` where
an ordinary id stands. No secret
is written here: each is drawn when it is asked for.
"""

# Whole lines of output as templates.
# ruff: noqa: E501

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "-_",
    "up": string.ascii_uppercase + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "dig": string.digits,
    "b32": string.ascii_uppercase + "234567",
}
WORDS = "river copper lantern orchid velvet thunder maple saddle quartz pepper anchor willow falcon ginger marble tunnel".split()  # noqa: SIM905
HOLE = re.compile(r"[⟦⟨](\w+)(?::(\d+))?[⟧⟩]")

SHAPES: dict[str, str] = {
    # Vendors' tokens, known by their beginning
    "aws-access-key": "aws_access_key_id = AKIA⟦up:16⟧",
    "aws-secret-key": "[default]\naws_access_key_id = AKIAQ3EGTGHH3DJMSBYQ\naws_secret_access_key = ⟦b64:40⟧\nregion = eu-west-1",
    "aws-session-token": 'export AWS_SESSION_TOKEN="IQoJb3JpZ2luX2Vj⟦b64:220⟧=="',
    "github-classic": "remote: Invalid credentials for ghp_⟦an:36⟧",
    "github-fine": "GH_TOKEN=github_pat_⟦an:22⟧_⟦an:59⟧",
    "gitlab-personal": "glab auth login --token glpat-⟦url:20⟧",
    "gitlab-runner": "gitlab-runner register --url https://git.example.org --registration-token GR1348941⟦url:20⟧",
    "slack-bot": "SLACK: xoxb-⟨dig:12⟩-⟨dig:12⟩-⟦an:24⟧",
    "slack-webhook": 'curl -X POST https://hooks.slack.com/services/T⟨up:8⟩/B⟨up:10⟩/⟦an:24⟧ -d \'{"text":"hi"}\'',
    "discord-webhook": "https://discord.com/api/webhooks/1098765432101234567/⟦url:68⟧",
    "openai-project": "OpenAI(api_key='sk-proj-⟦url:74⟧T3BlbkFJ⟦url:74⟧')",
    "anthropic": "ANTHROPIC_API_KEY=sk-ant-api03-⟦url:93⟧AA",
    "anthropic-oauth": "found CLAUDE_CODE_OAUTH_TOKEN sk-ant-oat01-⟦url:93⟧AA in the keychain",
    "openrouter": "key sk-or-v1-⟦hex:64⟧ has no credits left",
    "groq": "client = Groq('gsk_⟦an:52⟧')",
    "xai": "using xai-⟦an:80⟧ for grok",
    "perplexity": "pplx-⟦an:48⟧",
    "replicate": "REPLICATE: r8_⟦an:37⟧",
    "huggingface": "huggingface-cli login --token hf_⟦an:34⟧",
    "google-api": "https://maps.googleapis.com/maps/api/geocode/json?address=Bonn&key=AIza⟦url:35⟧",
    "google-oauth-secret": '{"client_secret":"GOCSPX-⟦url:28⟧","redirect_uris":["http://localhost"]}',
    "google-access": "gcloud auth print-access-token\nya29.⟦url:180⟧",
    "stripe-live": "Stripe::ApiKey = 'sk_live_⟦an:24⟧'",
    "stripe-webhook": "> Ready! Your webhook signing secret is whsec_⟦hex:64⟧ (^C to quit)",
    "twilio": "TWILIO_ACCOUNT_SID=AC0a1b2c3d4e5f60718293a4b5c6d7e8f9\nTWILIO_AUTH_TOKEN=⟦hex:32⟧",
    "sendgrid": "SG.⟦url:22⟧.⟦url:43⟧",
    "mailgun": "curl -s --user 'api:key-⟦hex:32⟧' https://api.mailgun.net/v3/mg.example.org/messages",
    "npm-token": "//packages.example.org/:_authToken=npm_⟦an:36⟧",
    "pypi-token": "twine upload -u __token__ -p pypi-AgEIcHlwaS5vcmc⟦url:150⟧ dist/*",
    "docker-pat": "dckr_pat_⟦url:27⟧",
    "digitalocean": "doctl auth init -t dop_v1_⟦hex:64⟧",
    "vault-token": "Key                  Value\n---                  -----\ntoken                hvs.⟦url:95⟧\ntoken_accessor       p1a2b3c4d5e6f7",
    "databricks": "databricks configure --host https://adb-1.azuredatabricks.net --token dapi⟦hex:32⟧",
    "grafana": "glsa_⟦an:32⟧_⟨hex:8⟩",
    "sentry": "sentry-cli login --auth-token sntrys_⟦an:100⟧",
    "linear": "lin_api_⟦an:40⟧",
    "notion": "NOTION=ntn_⟦an:46⟧",
    "atlassian": "email:ATATT3xFfGF0⟦url:170⟧=⟨HEX:8⟩",
    "figma": "X-Figma-Token: figd_⟦url:40⟧",
    "airtable": "Airtable token pat⟦an:14⟧.⟦hex:64⟧",
    "postman": "PMAK-⟦hex:24⟧-⟦hex:34⟧",
    "shopify": "shpat_⟦hex:32⟧",
    "supabase": "SUPABASE_ACCESS_TOKEN sbp_⟦hex:40⟧",
    "planetscale": "pscale_pw_⟦url:43⟧",
    "tailscale": "tailscale up --authkey tskey-auth-k⟦an:11⟧CNTRL-⟦an:32⟧",
    "newrelic": "NRAK-⟦up:27⟧",
    "telegram": "https://api.telegram.org/bot⟨dig:10⟩:AA⟦url:33⟧/getMe",
    "langsmith": "LANGSMITH lsv2_pt_⟦hex:32⟧_⟨hex:10⟩",
    "nvidia": "nvapi-⟦url:64⟧",
    "azure-storage": "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=⟦b64:86⟧==;EndpointSuffix=core.windows.net",
    "azure-servicebus": "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦b64:43⟧=",
    "azure-client-secret": "az login --service-principal -u 5f2c -t contoso -p ⟨an:3⟩8Q~⟦an:34⟧",
    "terraform-cloud": 'credentials "app.terraform.io" {\n  token = "⟦an:14⟧.atlasv1.⟦url:67⟧"\n}',
    "doppler": "dp.pt.⟦an:43⟧",
    "onepassword": "OP_SERVICE_ACCOUNT_TOKEN=ops_eyJ⟦url:250⟧",
    "age-key": "# created: 2025-01-04\nAGE-SECRET-KEY-1⟦b32:58⟧",
    "rubygems": ":rubygems_api_key: rubygems_⟦hex:48⟧",
    "fly": "fly deploy -t 'FlyV1 fm2_⟦b64:120⟧'",
    "brevo": "xkeysib-⟦hex:64⟧-⟦an:16⟧",
    "resend": "new Resend('re_⟦an:8⟧_⟦an:24⟧')",
    # Commands
    "flag-token": "deploy --token ⟦an:32⟧ --env staging",
    "flag-password-space": "pg_admin --password ⟦pw:12⟧ --host db",
    "flag-password-equals": "wget --user=ci --password=⟦pw:12⟧ https://files.example.org/a.tgz",
    "sshpass": "sshpass -p '⟦pw:12⟧' ssh root@10.0.0.8 uptime",
    "sshpass-glued": "sshpass -p⟦pwa:12⟧ scp a.txt deploy@host:/srv",
    "docker-login": "docker login -u ci-bot -p ⟦pwa:14⟧ registry.example.org",
    "echo-docker-login": "echo ⟦pwa:16⟧ | docker login ghcr.io -u bot --password-stdin",
    "mysql-glued": "mysql -h db -u root -p⟦pwa:11⟧ shop < dump.sql",
    "mysqldump-long": "mysqldump -uroot --password='⟦pw:12⟧' shop > out.sql",
    "pgpassword": "PGPASSWORD=⟦pwa:12⟧ psql -h db -U app",
    "redis-cli": "redis-cli -h cache -a ⟦pwa:16⟧ ping",
    "mongosh": "mongosh mongodb://db:27017 -u admin -p ⟦pwa:12⟧",
    "openssl-pass": "openssl rsa -in k.pem -passin pass:⟦pwa:12⟧ -out k2.pem",
    "curl-user": "curl -sS -u deploy:⟦pwa:14⟧ https://nexus.example.org/repository/a",
    "curl-header-key": "curl -H 'X-Api-Key: ⟦an:32⟧' https://api.example.org/v1/items",
    "curl-cookie": "curl -b 'sessionid=⟦low:32⟧; theme=dark' https://shop.example.org/cart",
    "gpg-passphrase": "gpg --batch --passphrase ⟦pwa:12⟧ -d secrets.gpg",
    "keytool": "keytool -genkey -keystore a.jks -storepass ⟦pwa:10⟧ -keypass ⟦pwa:10⟧",
    "sudo-stdin": "echo '⟦pw:10⟧' | sudo -S systemctl restart app",
    "htpasswd": "htpasswd -bc /etc/nginx/.htpasswd admin ⟦pwa:12⟧",
    "chpasswd": "echo 'deploy:⟦pw:12⟧' | chpasswd",
    "helm-login": "helm registry login r.example.org --username bot --password ⟦an:20⟧",
    "powershell": '$p = ConvertTo-SecureString "⟦pw:12⟧" -AsPlainText -Force',
    "setx": "setx DB_PASSWORD ⟦pwa:12⟧",
    "kubectl-secret": "kubectl create secret generic db --from-literal=password=⟦pwa:14⟧",
    "ansible-extra": "ansible-playbook site.yml -e ansible_become_pass=⟦pwa:12⟧",
    # Files
    "netrc": "machine api.heroku.com\n  login me@example.org\n  password ⟦pwa:16⟧",
    "netrc-line": "machine git.example.org login ci password ⟦an:20⟧",
    "pgpass": "db.example.org:5432:shop:app:⟦pwa:14⟧",
    "npm-auth": "//npm.example.org/:_auth=⟦basic⟧\nalways-auth=true",
    "npm-password": "//npm.example.org/:username=ci\n//npm.example.org/:_password=⟦b64:20⟧=",
    "pypirc": "[pypi]\nusername = ci\npassword = ⟦pwa:16⟧",
    "pip-index": "[global]\nindex-url = https://ci:⟦pwa:16⟧@pypi.example.org/simple",
    "my-cnf": "[client]\nuser=root\npassword=⟦pwa:12⟧",
    "wp-config": "define('DB_USER', 'wp');\ndefine('DB_PASSWORD', '⟦pw:14⟧');",
    "wp-salt": "define( 'AUTH_KEY',         '⟦salt:64⟧' );",
    "dotenv": "APP_ENV=prod\nDATABASE_PASSWORD=⟦pwa:14⟧\nPORT=80",
    "dotenv-quoted": 'SMTP_PASS="⟦pw:14⟧"',
    "laravel": "APP_KEY=base64:⟦b64:43⟧=",
    "django": "SECRET_KEY = 'django-insecure-⟦salt:50⟧'",
    "rails": "production:\n  secret_key_base: ⟦hex:128⟧",
    "spring": "spring.datasource.username=sa\nspring.datasource.password=⟦pw:12⟧",
    "appsettings": '"ConnectionStrings": {"Main": "Server=db;Database=shop;User Id=sa;Password=⟦pw:12⟧;"}',
    "xml-key-value": '<add key="ApiSecret" value="⟦an:24⟧" />',
    "nuget": '<add key="ClearTextPassword" value="⟦pw:14⟧" />',
    "maven": "<server><id>nexus</id><username>ci</username><password>⟦pw:12⟧</password></server>",
    "docker-config": '{"auths":{"ghcr.io":{"auth":"⟦basic⟧"}}}',
    "kube-secret": "apiVersion: v1\nkind: Secret\ndata:\n  password: ⟦basic⟧\ntype: Opaque",
    "kubeconfig": "users:\n- name: admin\n  user:\n    client-key-data: ⟦b64:400⟧\n",
    "kube-env": "env:\n  - name: DB_PASSWORD\n    value: ⟦pwa:14⟧\n  - name: PORT\n    value: '80'",
    "compose-env": "environment:\n  - POSTGRES_PASSWORD=⟦pwa:12⟧\n  - TZ=UTC",
    "dockerfile-env": "FROM node:22\nENV API_TOKEN ⟦an:30⟧\nRUN npm ci",
    "yaml-block": "db:\n  password: |\n    ⟦pwa:18⟧\n  port: 5432",
    "yaml-folded": "api_key: >-\n  ⟦an:40⟧\nname: shop",
    "tfvars": 'db_password = "⟦pw:14⟧"\nregion = "eu"',
    "wireguard": "[Interface]\nPrivateKey = ⟦b64:43⟧=\nAddress = 10.0.0.2/32",
    "wifi": 'network={\n  ssid="home"\n  psk="⟦pw:14⟧"\n}',
    "redis-conf": "port 6379\nrequirepass ⟦pwa:20⟧",
    "ldap": "binddn cn=admin,dc=example,dc=org\nbindpw ⟦pwa:12⟧",
    "htpasswd-file": "admin:$apr1$⟨an:8⟩$⟦an:22⟧",
    "shadow": "root:$6$⟨an:16⟩$⟦an:86⟧:19700:0:99999:7:::",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\n⟦b64:64⟧\n⟦b64:64⟧\n⟦b64:40⟧\n-----END RSA PRIVATE KEY-----",
    "ppk": "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n⟦b64:48⟧\nPrivate-MAC: ⟦hex:64⟧",
    # Programs
    "python-kwarg": 'connect(host="db", user="app", password="⟦pw:12⟧")',
    "python-dict": "{'user': 'app', 'password': '⟦pw:12⟧', 'port': 5432}",
    "php-array": "'password' => '⟦pw:12⟧',",
    "js-object": "const cfg = { apiKey: '⟦an:28⟧', retries: 3 }",
    "go-struct": 'opts := Options{Addr: "r:6379", Password: "⟦pw:12⟧", DB: 0}',
    "ruby-hash": 'Mysql2::Client.new(host: "db", password: "⟦pw:12⟧")',
    "smtp-login": 'server.login("bot@example.org", "⟦pw:14⟧")',
    "express-session": "app.use(session({ secret: '⟦pw:16⟧', resave: false }))",
    "basic-auth-call": "requests.get(url, auth=HTTPBasicAuth('svc', '⟦pw:12⟧'))",
    "requests-tuple": "requests.get(url, auth=('svc', '⟦pw:12⟧'))",
    "sql-identified": "CREATE USER 'app'@'%' IDENTIFIED BY '⟦pw:12⟧';",
    "sql-role": "ALTER ROLE app WITH LOGIN PASSWORD '⟦pw:12⟧';",
    "java-concat": 'String token = "⟦an:20⟧" +\n    "⟦an:20⟧";',
    "csharp": 'var client = new Client { ClientSecret = "⟦an:32⟧" };',
    "eth-key": "PRIVATE_KEY=0x⟦hex:64⟧",
    "mnemonic": 'MNEMONIC="⟦words:12⟧"',
    # Requests, replies, addresses
    "bearer": "Authorization: Bearer ⟦url:40⟧",
    "basic": "> Authorization: Basic ⟦basic⟧",
    "cookie": "Cookie: theme=dark; sessionid=⟦low:32⟧; csrftoken=⟦an:32⟧",
    "set-cookie": "< set-cookie: connect.sid=s%3A⟦url:32⟧.⟦url:43⟧; Path=/; HttpOnly",
    "jwt": "token eyJhbGciOiJIUzI1NiJ9.eyJ⟦url:60⟧.⟦url:43⟧ expired",
    "url-password": "postgresql://app:⟦pwa:14⟧@db.example.org:5432/shop",
    "url-token-user": "git clone https://⟦an:40⟧@github.com/acme/shop.git",
    "url-x-access": "remote.origin.url=https://x-access-token:ghs_⟦an:36⟧@github.com/acme/shop",
    "query-token": "GET /v1/items?page=2&access_token=⟦an:40⟧ HTTP/1.1",
    "fragment-token": "http://localhost:3000/callback#access_token=⟦url:48⟧&token_type=bearer",
    "oauth-code": "http://localhost:8080/callback?state=x&code=⟦url:40⟧&scope=read",
    "jdbc": "jdbc:postgresql://db:5432/shop?user=app&password=⟦pwa:14⟧&ssl=true",
    "aws-presigned": "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAQ3EGTGHH3DJMSBYQ%2F20260101&X-Amz-Expires=900&X-Amz-Signature=⟦hex:64⟧",
    "aws-security-token": "...&X-Amz-Security-Token=IQoJb3JpZ2lu⟦an:180⟧&X-Amz-SignedHeaders=host",
    "gcs-signed": "https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=⟦hex:128⟧",
    "cloudfront": "https://d1.cloudfront.net/a.mp4?Expires=1767225600&Signature=⟦url:120⟧__&Key-Pair-Id=K2JCJMDEHXQW5F",
    "sas": "https://shop.blob.core.windows.net/c/a.zip?sv=2022-11-02&sr=b&se=2026-01-01T00%3A00Z&sp=r&sig=⟦an:40⟧%2B⟨an:3⟩%3D",
    "otpauth": "otpauth://totp/Shop:me@example.org?secret=⟦b32:32⟧&issuer=Shop",
    "header-dump": "{'x-auth-token': '⟦hex:40⟧', 'accept': '*/*'}",
    "escaped-json": '"body": "{\\"user\\":\\"app\\",\\"password\\":\\"⟦pwa:12⟧\\"}"',
    "escaped-twice": 'log: "{\\\\\\"client_secret\\\\\\":\\\\\\"⟦an:24⟧\\\\\\"}"',
    "wrapped": "export TOKEN=ghp_⟦an:14⟧\n⟦an:22⟧\n$ ",
    "wrapped-continuation": 'curl -H "Authorization: Bearer ⟦an:30⟧\\\n⟦an:30⟧" https://api.example.org',
    "table": "| name | value |\n|---|---|\n| password | ⟦pwa:14⟧ |",
    # Speech
    "prose": "the staging password is ⟦pwa:12⟧, please use it for the login test",
    "prose-german": "das Passwort lautet ⟦pwa:12⟧",
    "prose-colon": "user: admin\npw: ⟦pwa:12⟧",
    "prose-key": "here is my api key: ⟦an:32⟧ — put it into .env",
}
"""Name of the shape → template. See the module's text for the holes."""

KEPT = frozenset(sorted(SHAPES)[::3])
"""The third of the shapes that was not tried while the rules were changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A text with secrets in it: `secrets` are the pieces that must be gone."""

    shape: str
    text: str
    secrets: tuple[str, ...]


def _password(rng: random.Random, length: int, signs: str) -> str:
    """As people choose them: a word, capitals, digits, perhaps a sign."""
    word = "".join(rng.choice(WORDS) for _ in range(3)).title()[: length - 4]
    return f"{word}{rng.choice(signs)}{rng.randrange(100, 1000)}"


def _drawn(rng: random.Random, kind: str, length: int) -> str:
    match kind:
        case "pw":
            return _password(rng, length, "!#%@_.*$")
        case "pwa":
            return _password(rng, length, string.ascii_lowercase)
        case "words":
            return " ".join(rng.choice(WORDS) for _ in range(length))
        case "salt":
            return "".join(rng.choice(string.ascii_letters + string.digits + "!@#%^*(-_=+)") for _ in range(length))
        case "basic":
            return base64.b64encode(f"svc-{rng.choice(WORDS)}:{_password(rng, 14, '!_')}".encode()).decode()
        case _:
            return "".join(rng.choice(ALPHABETS[kind]) for _ in range(length))


def _plain(text: str) -> str:
    return text


def _numbered(text: str) -> str:
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(text.split("\n"), 1))


def _added(text: str) -> str:
    return "@@ -1,0 +1,9 @@\n" + "\n".join(f"+{line}" for line in text.split("\n"))


def _logged(text: str) -> str:
    return "\n".join(f"2026-03-01T10:00:00Z app[1]: {line}" for line in text.split("\n"))


def _escaped(text: str) -> str:
    return json.dumps({"type": "tool_result", "content": f"ok\n{text}\nexit 0"})


def _fenced(text: str) -> str:
    return f"Here it is:\n```\n{text}\n```\nDoes that help?"


LAYOUTS: Sequence[Callable[[str], str]] = (_plain, _fenced, _escaped, _numbered, _added, _logged)
ONE_LINE = (_plain, _fenced, _escaped)
"""What a text of several lines may stand in: a prefix to each line would be another shape."""


def planted(*, seed: int, each: int = 3, kept: bool | None = None) -> list[Planted]:
    """`each` instances of every shape; `kept` asks for the kept third alone, or for the rest alone."""
    rng = random.Random(seed)
    made = []
    for shape, template in SHAPES.items():
        for number in range(each):
            secrets: list[str] = []

            def fill(hole: re.Match[str], secrets: list[str] = secrets) -> str:
                drawn = _drawn(rng, hole[1], int(hole[2] or 0))
                if hole[0].startswith("⟦"):
                    secrets.append(drawn)
                return drawn

            text = HOLE.sub(fill, template)
            layouts = ONE_LINE if "\n" in text else LAYOUTS
            layout = layouts[0] if number == 0 else rng.choice(layouts)
            if kept is None or kept == (shape in KEPT):
                made.append(Planted(shape=shape, text=layout(text), secrets=tuple(secrets)))
    return made


def left(case: Planted, redacted: str) -> list[str]:
    """The secrets of which a piece worth having is still there: the whole of a short one, 9 signs in a row of another.

    A vendor's fixed signs are not drawn and do not count.
    """
    size = 9
    return [
        secret
        for secret in case.secrets
        if (
            secret in redacted
            or any(
                secret[start : start + size] in redacted
                for start in range(max(1, len(secret) - size + 1))
                if len(secret) > size
            )
        )
    ]
