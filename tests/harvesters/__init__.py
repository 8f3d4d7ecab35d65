"""Harvesters against transcripts of our own making, and against public samples where they are at hand."""
