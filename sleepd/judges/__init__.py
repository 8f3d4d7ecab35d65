"""Judges: from what was done to a score with its reason. One module for each kind of criteria."""
