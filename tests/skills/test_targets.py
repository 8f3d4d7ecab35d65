"""The skill files of every agent are found where the agent looks, and new ones get valid names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesters.records import SkillPlaces
from sleepd.core import edit as edits
from sleepd.core.model import SkillTarget
from sleepd.skills import targets


def make(path: Path, text: str = "# A\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def found(home: Path, project: Path | None, env: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    base = home.parent
    return [(t.agent, t.name, str(Path(t.path).relative_to(base))) for t in targets.discover(home, project, env or {})]


class TestDiscover:
    def test_finds_each_agents_places(self, home: Path, project: Path) -> None:
        """Project files come before the user's own, for each agent."""
        for path in (
            "home/.claude/skills/u/SKILL.md",
            "project/.claude/skills/p/SKILL.md",
            "home/.codex/skills/u/SKILL.md",
            "home/.codex/AGENTS.md",
            "home/.agents/skills/s/SKILL.md",
            "project/.agents/skills/p/SKILL.md",
            "project/AGENTS.md",
            "home/.copilot/skills/u/SKILL.md",
            "project/.github/skills/p/SKILL.md",
            "project/.github/copilot-instructions.md",
        ):
            make(home.parent / path)
        assert [
            ("claude-code", "p", "project/.claude/skills/p/SKILL.md"),
            ("claude-code", "u", "home/.claude/skills/u/SKILL.md"),
            ("codex", "p", "project/.agents/skills/p/SKILL.md"),
            ("codex", "AGENTS.md", "project/AGENTS.md"),
            ("codex", "u", "home/.codex/skills/u/SKILL.md"),
            ("codex", "AGENTS.md", "home/.codex/AGENTS.md"),
            ("codex", "s", "home/.agents/skills/s/SKILL.md"),
            ("copilot", "p", "project/.github/skills/p/SKILL.md"),
            ("copilot", "copilot-instructions.md", "project/.github/copilot-instructions.md"),
            ("copilot", "u", "home/.copilot/skills/u/SKILL.md"),
        ] == found(home, project)

    @pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"])
    def test_honours_the_agents_own_settings(self, home: Path, variable: str) -> None:
        """A moved agent folder is used instead of the default one."""
        make(home.parent / "moved" / "skills" / "u" / "SKILL.md")
        assert ["moved/skills/u/SKILL.md"] == [
            row[2] for row in found(home, None, {variable: str(home.parent / "moved")})
        ]

    def test_finds_nothing_in_an_empty_place(self, home: Path, project: Path) -> None:
        """Without files there are no targets, and nothing is made."""
        assert [] == found(home, project)
        assert not home.exists()

    def test_reads_the_frontmatter(self, home: Path) -> None:
        """Name and description come from the frontmatter, quoted or folded."""
        make(home / ".claude/skills/one/SKILL.md", edits.new_skill("first", 'When "x": y'))
        make(home / ".claude/skills/two/SKILL.md", "---\nname: 'it''s'\ndescription: >-\n  When\n  asked\n---\n")
        make(home / ".claude/skills/zoo/SKILL.md", "---\r\ndescription: When asked # later\r\n---\r\n")
        assert [("first", 'When "x": y'), ("it's", "When asked"), ("zoo", "When asked")] == [
            (t.name, t.description) for t in targets.discover(home, None, {})
        ]

    def test_leaves_out_what_cannot_be_written(self, home: Path, project: Path) -> None:
        """Links, folders that lead out, unreadable bytes and hidden folders are left out."""
        real = make(home.parent / "elsewhere" / "a" / "SKILL.md")
        skills = project / ".claude" / "skills"
        make(skills / "linked" / "x").with_name("SKILL.md").symlink_to(real)
        (skills / "out").symlink_to(real.parent)
        make(skills / "bytes" / "SKILL.md").write_bytes(b"\xff\xfe")
        make(skills / ".system" / "SKILL.md")
        make(skills / "good" / "SKILL.md")
        assert ["good"] == [row[1] for row in found(home, project)]

    def test_a_project_that_is_the_home_is_the_users_own(self, home: Path) -> None:
        """The same file is not two targets."""
        make(home / ".claude/skills/u/SKILL.md")
        assert [""] == [target.project for target in targets.discover(home, home, {})]


class TestLookup:
    def target(self, name: str, path: str, project: str = "", agent: str = "copilot") -> SkillTarget:
        return SkillTarget(agent=agent, name=name, path=path, project=project, description="")

    def test_prefers_the_project(self) -> None:
        """Of two skills with a name the project's is meant; agents are told apart."""
        own, mine = self.target("a", "/h/a/SKILL.md"), self.target("a", "/p/a/SKILL.md", "/p")
        other = self.target("a", "/c/a/SKILL.md", "/p", "codex")
        assert (mine, other) == (
            targets.by_skill_name([own, other, mine], "A", "copilot-cli"),
            targets.by_skill_name([own, other, mine], "a", "codex"),
        )

    def test_knows_the_folder_name(self) -> None:
        """A skill may be named by its folder; an unknown one is None."""
        only = self.target("title", "/p/folder/SKILL.md")
        assert (only, None) == (
            targets.by_skill_name([only], "folder", "copilot"),
            targets.by_skill_name([only], "fold", "copilot"),
        )

    def test_an_agent_of_another_package_has_its_own_skills_only(self) -> None:
        """None of the built-in agents', although nothing was declared for it."""
        only = self.target("title", "/p/folder/SKILL.md")
        assert (None, ()) == (targets.by_skill_name([only], "title", "pi"), targets.project_skills([only], "pi"))


class TestOtherPackages:
    def test_an_undeclared_agent_gets_the_folder_that_agents_share(self, home: Path, project: Path) -> None:
        """And nothing outside of the project may be written for it."""
        target = targets.new_project_target("nobody-knows", project, "Commit messages", "d")
        assert ("nobody-knows", str(project / ".agents/skills/commit-messages/SKILL.md")) == (target.agent, target.path)
        assert project == targets.write_root(target, home, {})

    def test_a_declared_agent_is_searched_like_a_built_in_one(
        self, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the project and at home; a built-in agent keeps its places whatever is declared."""
        monkeypatch.setattr(targets, "_DECLARED", {})
        places = SkillPlaces(home_variable="QUILL_HOME", home_folder=".quill", project_skills=".quill/skills")
        targets.declare("quill", places)
        targets.declare("codex", places)
        for folder in (project, home):
            (folder / ".quill/skills/mine").mkdir(parents=True)
            (folder / ".quill/skills/mine/SKILL.md").write_text("---\nname: mine\ndescription: d\n---\nText\n")
        found = [t for t in targets.discover(home, project, {}) if t.agent == "quill"]
        assert [str(project), ""] == [t.project for t in found]
        assert found[0] == targets.by_skill_name(found, "mine", "quill")
        assert targets.AGENTS["codex"] == targets.places_of("codex")


class TestNew:
    @pytest.mark.parametrize(
        ("agent", "folder"),
        [("claude-code", ".claude/skills"), ("codex", ".agents/skills"), ("copilot-vscode", ".github/skills")],
    )
    def test_goes_where_the_agent_looks(self, home: Path, project: Path, agent: str, folder: str) -> None:
        """A new skill, once written, is found again under its name, and its text is valid."""
        new = targets.new_project_target(agent, project, "Write the commit message", "When a commit is made")
        assert str(project / folder / "write-the-commit-message" / "SKILL.md") == new.path
        make(Path(new.path), targets.starting_text(new))
        assert (new,) == targets.discover(home, project, {})

    def test_other_files_start_empty(self) -> None:
        """An instruction file has no frontmatter."""
        agents = SkillTarget(agent="codex", name="AGENTS.md", path="/p/AGENTS.md", project="/p", description="x")
        assert "" == targets.starting_text(agents)

    def test_roots(self, home: Path) -> None:
        """What may be written is bounded by the project or the agent's own folder."""
        rows = [
            ("claude-code", "/p", "/p/x"),
            ("codex", "", str(home / ".codex/AGENTS.md")),
            ("codex", "", str(home / ".agents/skills/a/SKILL.md")),
        ]
        roots = [
            targets.write_root(SkillTarget(agent=a, name="n", path=path, project=p, description=""), home, {})
            for a, p, path in rows
        ]
        assert [Path("/p"), home / ".codex", home / ".agents"] == roots


class TestSlug:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Write the commit message, please!", "write-the-commit-message-please"),
            ("Café résumé über Straße", "cafe-resume-uber-strasse"),
            ("one two three four five six seven", "one-two-three-four-five-six"),
            ("ask Claude for notes", "ask-for-notes"),
            ("x" * 80, "x" * 55),
        ],
    )
    def test_is_readable(self, text: str, expected: str) -> None:
        """Latin text becomes words with hyphens."""
        assert expected == targets.slug(text)

    @pytest.mark.parametrize("text", ["写提交信息", "Напиши сообщение", "🎉", "", "claude", "CON", "写 commit"])
    def test_falls_back_to_a_digest(self, text: str) -> None:
        """Where letters are lost or the name is reserved a digest keeps it distinct."""
        assert re.fullmatch(r"[a-z-]+-[0-9a-f]{8}", targets.slug(text))
        assert targets.slug(text) != targets.slug(text + " 了")

    @settings(max_examples=150, deadline=None)
    @given(st.text(max_size=120))
    def test_is_always_valid(self, text: str) -> None:
        """Any request gives a name and a description that a skill may have."""
        assert edits.new_skill(targets.slug(text), targets.when_to_load(text)).startswith("---\nname: ")


def test_description_says_when() -> None:
    """The description quotes the request, on one line and without tags."""
    assert "Use this when the user asks for work like: write <b> notes".replace("<b>", "b") == targets.when_to_load(
        "write\n<b>\u200b notes"
    )
