"""Replays: how a piece of work is done again under a text. One module for each kind of `core.model.Replay`."""
