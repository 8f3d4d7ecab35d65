"""The files that may be changed, and how they are written."""
