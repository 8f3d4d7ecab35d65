"""From sleepd's answers and errors to the protocol's: text and data, or one line that names the remedy."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, Final

import structlog
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError

from sleepd.core.errors import SleepdError, UsageError, nearest
from sleepd.core.plaintext import flat
from sleepd.mcp.work import Work
from sleepd.settings import config
from sleepd.views.report import Plain, clean
from sleepd.views.tool_answer import ToolAnswer

_MOST_MISTAKES: Final = 5
_MOST_QUOTED: Final = 64


class Server(MCPServer[Any]):
    """Whose tools fail in one line that names the remedy, also where the arguments are wrong."""

    def add_tool(self, fn: Callable[..., Any], *args: Any, **options: Any) -> None:
        """As the package does it, with the docstring as a reader sees it."""
        super().add_tool(fn, *args, **{**options, "description": inspect.getdoc(fn)})

    async def call_tool(
        self, name: str, arguments: Any, context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        tools = {tool.name: tool for tool in await self.list_tools()}
        try:
            if name not in tools:
                raise UsageError(f"no tool {cut(name)!r}{nearest(name[:64], tools)}; there are {', '.join(tools)}")
            known = tools[name].input_schema.get("properties", {})
            for key in arguments:
                if key not in known:
                    takes = ", ".join(known) or "no arguments"
                    raise UsageError(f"no argument {cut(key)!r}{nearest(key[:64], known)}; {name} takes {takes}")
            return await super().call_tool(name, arguments, context)
        except SleepdError as error:
            return failed(str(error))
        except UnexpectedToolError as error:
            cause = error.__cause__
            return failed(str(cause) if isinstance(cause, SleepdError) else _unexpected(name, cause or error))
        except ToolError as error:
            return failed(_why(name, error))


async def done(work: Work, function: Callable[[], ToolAnswer]) -> CallToolResult:
    """The answer, or what sleepd can explain; within a task group an exception would lose its kind."""
    try:
        return result(await work.do(function))
    except SleepdError as error:
        return failed(str(error))


def result(answer: ToolAnswer) -> CallToolResult:
    """As text and as data. What cannot be encoded, such as half a character out of a file name, becomes `?`."""
    return _both(answer.text, answer.data)


def _both(text: str, data: Plain) -> CallToolResult:
    plain = json.loads(json.dumps(data, ensure_ascii=False, default=str).encode("utf-8", "replace"))
    return CallToolResult(content=[TextContent(text=_encodable(text))], structured_content=plain)


def failed(message: str) -> CallToolResult:
    """A tool error of one line."""
    return CallToolResult(content=[TextContent(text=_encodable(clean(flat(message))))], is_error=True)


def declined(*, asked: bool) -> CallToolResult:
    """The user was asked and said no, or (`asked` false) nobody answered the question."""
    why = "the user said no" if asked else "the user gave no answer; they can decide in a terminal with sleepd review"
    return _both(f"nothing was changed: {why}", {"done": False})


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _why(name: str, error: ToolError) -> str:
    """What is wrong with the arguments, without repeating them: they may be long, or secret."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        wrong = cause.errors(include_url=False, include_input=False, include_context=False)
        said = [f"{'.'.join(str(part) for part in e['loc'])[:64]}: {e['msg']}" for e in wrong[:_MOST_MISTAKES]]
        return f"{name}: {'; '.join(said)}"
    return str(error).removeprefix(f"Error executing tool {name}: ")


def _unexpected(name: str, error: BaseException) -> str:
    logger = structlog.get_logger()
    logger.error("tool.failed", tool=name, exc_info=error)
    return f"{name} failed with an unexpected {type(error).__name__}; the trace is in {config.places().log}"


def cut(text: str) -> str:
    """The beginning of somebody else's text, for a message."""
    return text if len(text) <= _MOST_QUOTED else text[:_MOST_QUOTED] + "…"
