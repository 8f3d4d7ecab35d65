"""The one-file page of a night or a training run."""
