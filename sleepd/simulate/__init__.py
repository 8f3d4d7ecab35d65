"""People and agents that do not exist: the key-less world of the proof-run."""
