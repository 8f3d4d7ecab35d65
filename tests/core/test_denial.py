"""What a person refuses without a word."""

from __future__ import annotations

from sleepd.core.denial import denials
from sleepd.core.episode import Call
from tests.exchanges import exchange, refused


def keys(*calls: Call) -> list[str]:
    """The keys of one exchange."""
    return [signal.key for signal in denials([exchange("do it", *calls)])]


class TestDenials:
    def test_a_command_is_known_by_runner_program_and_verb(self) -> None:
        """Flags, filters and texts do not matter."""
        assert ["mise run test:ci", "git commit"] == keys(
            refused("mise run test:ci 2>&1 | tail -50"), refused('git commit -am "x y"')
        )

    def test_of_several_commands_the_one_counts_that_is_refused_alone_elsewhere(self) -> None:
        """Nobody minds the formatter."""
        assert ["npm run e2e", "npm run e2e"] == keys(refused("npm run e2e"), refused("npm run e2e && npm run format"))

    def test_words_make_it_a_correction(self) -> None:
        """The words say more than the call."""
        assert [] == keys(refused("mise run test:ci", words="too slow"))

    def test_a_choice_between_ways_of_working_is_none(self) -> None:
        """To leave planning and to answer a question are not work."""
        assert [] == keys(refused(tool="ExitPlanMode"), refused(tool="AskUserQuestion"), refused(tool="EnterPlanMode"))

    def test_other_tools_are_known_by_what_they_name(self) -> None:
        """The kind of sub-agent, the host, else the tool."""
        assert ["Task reviewer", "WebFetch example.org", "mcp__board__close"] == keys(
            refused(tool="Task", given='{"subagent_type":"reviewer"}'),
            refused(tool="WebFetch", given='{"url":"https://example.org/a"}'),
            refused(tool="mcp__board__close"),
        )
