"""Tools and files by what they are for, whatever the agent or the project calls them."""

from __future__ import annotations

import re
from typing import Final

SHELLS: Final = frozenset(
    {"bash", "shell", "shell_command", "exec_command", "local_shell", "local_shell_call", "run_in_terminal"}
)
"""Tools that run a line in a shell, in lower case."""

ASKS_THE_PERSON: Final = frozenset({"askuserquestion", "ask_user", "request_user_input"})
"""Tools whose result is what the person chose or wrote, in lower case."""

TEST_FILE: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|e2e|testing|testdata)/|(?:^|/)(?:test_[^/]+|conftest)\.py$|"
    r"(?:_test|_spec|\.test|\.spec|[a-z]Tests?|_tests)\.\w+$|(?:^|/)[A-Z]\w*(?:Test|Tests|Spec|IT)\.\w+$"
)
DOCUMENT: Final = re.compile(r"(?:^|/)docs?/|\.(?:md|mdx|rst|adoc|txt)$|(?:^|/)(?:README|CHANGELOG|NOTICE)\b", re.I)
