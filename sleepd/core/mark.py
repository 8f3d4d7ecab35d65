"""How runs of our own are known again."""

OWN_MARK = "[sleepd]"
"""Every prompt that sleepd sends begins with it, so that a transcript of our own run is never taken for work."""
