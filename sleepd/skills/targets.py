"""Which files may be changed: the skill and instruction files of each agent, for a project and for the user.

Where agents look was checked against the real clients: Claude Code 2.1, Codex 0.169, Copilot CLI 1.0.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from harvesters.records import SkillPlaces
from sleepd.core import plaintext
from sleepd.core.edit import MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, new_skill
from sleepd.core.errors import Conflict
from sleepd.core.model import SkillTarget, digest
from sleepd.skills import files

SKILL_FILE = "SKILL.md"
MAX_SLUG_WORDS = 6
MAX_QUOTED_CHARS = 160

_WORDS = re.compile(r"[a-z0-9]+")
_FIELD = re.compile(r"(?P<key>[A-Za-z][\w-]*):(?:[ \t]+(?P<value>.*))?")
_RESERVED = frozenset({"claude", "anthropic"})


AGENTS: Mapping[str, SkillPlaces] = {
    "claude-code": SkillPlaces(
        home_variable="CLAUDE_CONFIG_DIR",
        home_folder=".claude",
        project_skills=".claude/skills",
        project_files=("CLAUDE.md", ".claude/CLAUDE.md"),
        home_files=("CLAUDE.md",),
    ),
    "codex": SkillPlaces(
        home_variable="CODEX_HOME",
        home_folder=".codex",
        project_skills=".agents/skills",
        shared_folder=".agents",
        project_files=("AGENTS.md",),
        home_files=("AGENTS.md",),
    ),
    "copilot": SkillPlaces(
        home_variable="COPILOT_HOME",
        home_folder=".copilot",
        project_skills=".github/skills",
        project_files=(".github/copilot-instructions.md",),
        home_files=("copilot-instructions.md",),
    ),
}


SHARED = SkillPlaces(home_variable="", home_folder=".agents", project_skills=".agents/skills")
"""Where an agent looks that sleepd knows nothing about: the folder that several agents share."""
_DECLARED: dict[str, SkillPlaces] = {}


def declare(agent: str, places: SkillPlaces) -> None:
    """Say where an agent of another package looks; a built-in agent keeps its places."""
    if agent not in AGENTS:
        _DECLARED[agent] = places


def places_of(agent: str) -> SkillPlaces:
    """Where an agent looks: a built-in one, a declared one, or else the shared folder."""
    return AGENTS.get(agent) or _DECLARED.get(agent) or SHARED


def agent_of(name: str) -> str:
    """The agent whose skill files a session of agent `name` reads: `copilot-cli` and `copilot-vscode` are `copilot`."""
    return "copilot" if name in ("copilot-cli", "copilot-vscode") else name


def discover(home: Path, project: Path | None, env: Mapping[str, str]) -> tuple[SkillTarget, ...]:
    """The files there are, by agent, the project's before the user's own, each place sorted by name.

    `env` gives `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `COPILOT_HOME`. Files that are links, lead out of their place,
    cannot be read as text, or stand beside another whose name differs only in letter case are left out, since they
    could not be written. `name` and `description` come from the frontmatter; a skill without a name has that of its
    folder.
    """
    found: list[SkillTarget] = []
    for agent, places in {**AGENTS, **_DECLARED}.items():
        own = [t for root, paths in _user_places(places, home, env) for t in _targets(agent, root, paths, "")]
        taken = {os.path.realpath(target.path) for target in own}
        if project is not None:
            paths = [*_skills(project / places.project_skills), *(project / file for file in places.project_files)]
            mine = _targets(agent, project, paths, str(project))
            found += [target for target in mine if os.path.realpath(target.path) not in taken]
        found += own
    return tuple(found)


def by_skill_name(targets: Iterable[SkillTarget], name: str, agent: str) -> SkillTarget | None:
    """The target of a skill as a transcript of `agent` names it; None without one.

    Letter case does not count, but of two skills that differ in nothing else the one written alike is meant. A
    project's skill comes before a user's of the same name, an exact name before a folder's.
    """
    wanted, known = name.casefold(), agent_of(agent)
    mine = [target for target in targets if target.agent == known]
    exact = [target for target in mine if target.name.casefold() == wanted]
    folder = [t for t in mine if Path(t.path).name == SKILL_FILE and Path(t.path).parent.name.casefold() == wanted]
    alike = [target for target in exact if target.name == name]
    return next((t for group in (alike, exact, folder) for t in sorted(group, key=lambda t: not t.project)), None)


def project_skills(targets: Iterable[SkillTarget], agent: str) -> tuple[SkillTarget, ...]:
    """The project's own skills that say when to load them, for sessions of `agent`."""
    mine = (t for t in targets if t.agent == agent_of(agent) and t.project and Path(t.path).name == SKILL_FILE)
    return tuple(t for t in mine if t.description)


def new_project_target(agent: str, project: Path, name: str, description: str) -> SkillTarget:
    """A skill of a project that does not exist yet: `<skills folder of the agent>/<slug of name>/SKILL.md`.

    `project` must be absolute. Where a folder's name differs from the slug in letter case alone, part of a digest tells
    the new one from it.
    """
    known = agent_of(agent)
    short, folder = slug(name), project / places_of(known).project_skills
    if any(other != short and other.casefold() == short for other in _names(folder)):
        short = f"{short[: MAX_NAME_CHARS - 9]}-{digest(short)[:8]}"
    path = folder / short / SKILL_FILE
    return SkillTarget(agent=known, name=short, path=str(path), project=str(project), description=description)


def starting_text(target: SkillTarget) -> str:
    """What a file that does not exist yet starts from: frontmatter and an empty region for a skill, else nothing."""
    return new_skill(target.name, target.description) if Path(target.path).name == SKILL_FILE else ""


def write_root(target: SkillTarget, home: Path, env: Mapping[str, str]) -> Path:
    """The folder that writing the target must not leave: its project, or the agent's own folder."""
    if target.project:
        return Path(target.project)
    places = places_of(agent_of(target.agent))
    shared = home / places.shared_folder if places.shared_folder is not None else None
    if shared is not None and Path(target.path).is_relative_to(shared):
        return shared
    return user_folder(places, home, env)


def when_to_load(request: str) -> str:
    """A description that says when to load a skill for requests like this one; valid frontmatter of one line."""
    shown = "".join(
        " " if char in "\r\n\t" else char for char in request if char in "\r\n\t" or not plaintext.hidden(char)
    )
    flat = plaintext.flat(re.sub(r"[<>]", " ", shown))
    clipped = flat if len(flat) <= MAX_QUOTED_CHARS else flat[: MAX_QUOTED_CHARS - 1].rstrip() + "…"
    said = f"Use this when the user asks for work like: {clipped}" if clipped else "Use this for recurring work."
    return said[:MAX_DESCRIPTION_CHARS]


def slug(text: str) -> str:
    """A valid skill name for a text in any script: its first six words in ASCII, at most 64 characters.

    Where letters are lost (other scripts), where nothing is left, or where the name is reserved, part of a digest of
    the text is added, so that different texts keep different names.
    """
    folded = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    lost = any(char.isalnum() and not char.isascii() for char in plain)
    words = [word for word in _WORDS.findall(plain) if word not in _RESERVED][:MAX_SLUG_WORDS]
    tail = digest(unicodedata.normalize("NFC", text))[:8]
    room = MAX_NAME_CHARS - len(tail) - 1
    while len("-".join(words)) > room and len(words) > 1:
        words.pop()
    name = "-".join(words)[:room].rstrip("-")
    if not name:
        return f"skill-{tail}"
    return f"{name}-{tail}" if lost or name in files.DEVICES else name


def user_folder(agent: SkillPlaces, home: Path, env: Mapping[str, str]) -> Path:
    """The agent's folder of the user, where its variable says or at its usual place."""
    stated = env.get(agent.home_variable, "").strip() if agent.home_variable else ""
    if not stated:
        return home / agent.home_folder
    expanded = home / stated[2:] if stated.startswith("~/") else Path(stated)
    return expanded if expanded.is_absolute() else home / agent.home_folder


def _user_places(agent: SkillPlaces, home: Path, env: Mapping[str, str]) -> Iterator[tuple[Path, list[Path]]]:
    """The user's own folders of an agent, each with the files that may be in it."""
    user = user_folder(agent, home, env)
    yield user, [*_skills(user / "skills"), *(user / file for file in agent.home_files)]
    if agent.shared_folder is not None:
        shared = home / agent.shared_folder
        yield shared, [*_skills(shared / "skills")]


def _skills(folder: Path) -> Iterator[Path]:
    """The skill files in a folder of skills; hidden folders belong to the agent itself."""
    names = _names(folder)
    alike = Counter(map(files.folded, names))
    yield from (
        folder / name / SKILL_FILE for name in names if not name.startswith(".") and alike[files.folded(name)] == 1
    )


def _names(folder: Path) -> list[str]:
    """What is in a folder, sorted; [] when it cannot be listed: its owner may have closed it on purpose."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208
    except (OSError, ValueError):
        return []


def _targets(agent: str, root: Path, paths: Iterable[Path], project: str) -> Iterator[SkillTarget]:
    for path in paths:
        if not os.path.isfile(path) or path.is_symlink():  # noqa: PTH113  never raises
            continue
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
            continue
        try:
            file = files.read(path)
        except Conflict:
            continue  # not text: it could not be written either, and its owner has not asked for it
        if file is not None:
            fields = frontmatter(file.text)
            own = path.parent.name if path.name == SKILL_FILE else path.name
            yield SkillTarget(
                agent=agent,
                name=(path.name == SKILL_FILE and fields.get("name")) or own,
                path=str(path),
                project=project,
                description=fields.get("description", ""),
            )


def frontmatter(text: str) -> dict[str, str]:
    """The top-level text fields of a file's frontmatter: plain, quoted or block scalars; {} without frontmatter."""
    rows = [line.rstrip("\r\n") for line in plaintext.lines(text)]
    fields: dict[str, str] = {}
    last = ""
    for row in rows[1 : max(1, plaintext.frontmatter_end(rows) - 1)]:
        match = _FIELD.fullmatch(row)
        if match:
            last = match["key"]
            fields[last] = (match["value"] or "").strip()
        elif last and row[:1].isspace() and row.strip():
            fields[last] = f"{fields[last]} {row.strip()}".strip()
    return {name: _scalar(value) for name, value in fields.items()}


def _scalar(value: str) -> str:
    """A YAML scalar as text; block scalars arrive joined, with their sign in front."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return re.sub(r"^[>|][+-]?\d? ", "", re.sub(r"\s+#.*$", "", value))
