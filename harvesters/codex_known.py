"""Which records of a Codex rollout are known: read, or passed over on purpose. The rest is counted as drift."""

from __future__ import annotations

from typing import Any

from harvesters.values import text


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_LINES = _words(
    """
    session_meta turn_context response_item event_msg token_usage_record compacted world_state
    inter_agent_communication inter_agent_communication_metadata
    """
)
_ITEMS = _words(
    """
    message agent_message reasoning function_call function_call_output local_shell_call custom_tool_call
    custom_tool_call_output web_search_call image_generation_call tool_search_call tool_search_output compaction
    context_compaction compaction_summary ghost_snapshot
    """
)
_EVENTS = _words(
    """
    task_started turn_started task_complete turn_complete turn_aborted token_count thread_rolled_back
    thread_goal_updated thread_settings_applied thread_name_updated user_message agent_message agent_reasoning
    agent_reasoning_raw_content entered_review_mode exited_review_mode patch_apply_end patch_apply_begin
    mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end image_generation_begin image_generation_end
    context_compacted sub_agent_activity item_started item_completed exec_command_begin exec_command_end error
    stream_error warning view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response
    collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end
    collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end guardian_assessment undo_completed
    plan_update turn_diff exec_approval_request apply_patch_approval_request elicitation_request model_reroute
    """
)
_TURN_ITEMS = _words(
    """
    UserMessage HookPrompt AgentMessage Plan Reasoning CommandExecution FileChange McpToolCall DynamicToolCall
    CollabAgentToolCall SubAgentActivity WebSearch ImageView ImageGeneration Extension EnteredReviewMode
    ExitedReviewMode ContextCompaction
    """
)


def unknown_record(record: dict[str, Any], *, bare: bool) -> str | None:
    """What is new about a record; None for a known one. `bare` files hold items without a frame."""
    kind, payload = text(record, "type"), record.get("payload")
    if kind is None:
        return None if bare or "id" in record or "record_type" in record else "no type"
    if kind not in _LINES:
        return None if kind in _ITEMS and payload is None else kind
    if not isinstance(payload, dict):
        return f"{kind} without a payload"
    inner = text(payload, "type")
    if kind == "response_item" and inner not in _ITEMS:
        return f"response_item/{inner or 'no type'}"
    if kind == "event_msg" and inner not in _EVENTS:
        return f"event_msg/{inner or 'no type'}"
    if inner == "item_completed":
        item = text(payload.get("item"), "type")
        return None if item in _TURN_ITEMS else f"item_completed/{item or 'no type'}"
    return None
