"""A nightly self-evolution daemon for people who work with coding agents."""

__version__ = "0.1.0"
