"""Which events of GitHub Copilot are known: read, or passed over on purpose. The rest is counted as drift."""

from __future__ import annotations

_GROUPS = {
    "session": """start resume context_changed model_change auto_mode_resolved shutdown usage_record usage_checkpoint
    compaction_start compaction_complete truncation context_cleared mode_changed plan_changed task_complete handoff info
    warning error workspace_file_changed schedule_created schedule_updated schedule_deleted schedule_triggered
    title_changed permissions_changed tools_updated remote_steerable_changed binary_asset import_legacy
    snapshot_rewind custom_agents_updated skills_loaded mcp_servers_loaded extensions_loaded""",
    "user": "message",
    "assistant": "turn_start turn_end message reasoning intent streaming_delta",
    "system": "message notification",
    "tool": "execution_start execution_complete user_requested execution_partial_result execution_progress",
    "permission": "requested completed",
    "skill": "invoked",
    "subagent": "started completed failed selected deselected",
    "hook": "start end progress",
    "command": "queued execute completed",
    "exit_plan_mode": "requested completed",
    "mcp": "oauth_required oauth_completed",
    "external_tool": "requested completed",
}
_KNOWN = frozenset(f"{group}.{name}" for group, names in _GROUPS.items() for name in names.split()) | {"abort"}


def unknown_event(kind: str | None, data: object) -> str | None:
    """What is new about an event; None for a known one."""
    if kind is None:
        return "no type"
    if kind not in _KNOWN:
        return kind
    return None if isinstance(data, dict) else f"{kind} without data"
