"""The gate's laboratory and the proof-run: the shipped code on cases whose truth is known."""
