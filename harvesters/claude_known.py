"""Which lines of a Claude Code transcript are known: read, or passed over on purpose. The rest is counted as drift."""

from __future__ import annotations

from harvesters.claude_records import Message, Record


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TYPES = _words(
    """
    user assistant system attachment summary ai-title custom-title last-prompt queue-operation progress pr-link
    permission-mode mode file-history-snapshot file-history-delta agent-name agent-setting agent-color worktree-state
    relocated teleported-from bridge-session frame-link continued-in cost-state atis-latch started result tag
    content-replacement speculation-accept saved_hook_context artifact-state artifact-link api-request-blob
    api-request-shape prompt_snapshot
    """
)
_SUBTYPES = _words(
    """
    local_command compact_boundary microcompact_boundary turn_duration stop_hook_summary api_error api_refusal
    model_refusal_fallback informational session_start away_summary error init bridge_status memory_saved
    scheduled_task_fire agents_killed permission_retry thinking file_snapshot
    """
)
_ATTACHMENTS = _words(
    """
    queued_command skill_listing invoked_skills dynamic_skill nested_memory file compact_file_reference directory
    plan_file_reference edited_text_file edited_image_file hook_success hook_additional_context hook_blocking_error
    hook_non_blocking_error hook_cancelled hook_error_during_execution hook_stopped_continuation hook_system_message
    hook_permission_decision deferred_tools_delta mcp_instructions_delta agent_listing_delta todo_reminder todo
    task_reminder task_status plan_mode plan_mode_exit plan_mode_reentry auto_mode auto_mode_exit ultra_effort_enter
    ultra_effort_exit command_permissions date_change diagnostics environment model instructions prompt_snapshot
    read_truncation_notice budget_usd total_tokens_reminder companion_intro batching_reminder_sent
    silent_turn_reminder already_read_file mcp_resource selected_lines_in_ide opened_file_in_ide output_style
    critical_system_reminder compaction_reminder verify_plan_reminder ultramemory async_hook_response
    agent_mention pdf_reference structured_output teammate_mailbox team_context token_usage skill_discovery
    """
)
_BLOCKS = _words(
    """
    text thinking redacted_thinking tool_use tool_result server_tool_use web_search_tool_result fallback image document
    web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result mcp_tool_use mcp_tool_result
    text_editor_code_execution_tool_result container_upload search_result tool_reference compaction connector_text
    """
)


def unknown_line(record: Record) -> str | None:
    """What is new about a line by its type alone; None for a known one."""
    kind = record.type
    if kind is None:
        return "no type"
    if kind not in _TYPES:
        return kind
    if kind == "system" and record.subtype is not None and record.subtype not in _SUBTYPES:
        return f"system/{record.subtype}"
    return None


def unknown_attachment(kind: str | None) -> str | None:
    """What is new about an attachment; None for a known one."""
    return None if kind in _ATTACHMENTS else f"attachment/{kind or 'no type'}"


def unknown_message(kind: str, message: Message | None) -> str | None:
    """What is new about the message of a `user` or `assistant` line; None for a known shape."""
    if message is None:
        return f"{kind} without a message"
    if message.content is None:
        return f"{kind} without content"
    if isinstance(message.content, str):
        return None
    for block in message.content:
        if block.type not in _BLOCKS:
            return f"{kind} with a {block.type or 'nameless'} block"
    return None
