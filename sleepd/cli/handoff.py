"""`sleepd handoff`: the prompts that wait for somebody's answer."""

from __future__ import annotations

from sleepd import compose
from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.models import handoff as folder_model
from sleepd.settings import config


def handoff(as_json: AsJson = False) -> None:
    """List the prompts that wait for an answer in a file, and say where each answer belongs.

    The prompts come from runs with `model.name = "handoff"`. Once they are answered, repeat the command that asked: it
    goes on.
    """
    settings = config.load()
    folders = dict.fromkeys(compose.handoff_folder(section) for section in (settings.model, settings.for_reflection()))
    found = [(folder, folder_model.waiting(folder)) for folder in folders]
    if as_json:
        show_json(
            [
                {"prompt": str(one.prompt), "answer": str(one.answer), "trouble": one.trouble}
                for _, waiting in found
                for one in waiting
            ]
        )
        return
    for folder, waiting in found:
        if not waiting:
            show(f"No prompt waits for an answer in {folder}.")
            continue
        show(f"{len(waiting)} {'prompt waits' if len(waiting) == 1 else 'prompts wait'} for an answer in {folder}:")
        for one in waiting:
            trouble = f" (the file that is there {one.trouble})" if one.trouble else ""
            show(f"  {one.prompt.name} -> {one.answer.name}{trouble}")
        show(
            f"Answer each prompt in its file, with {folder_model.END} as the last line; then repeat the asking command."
        )
