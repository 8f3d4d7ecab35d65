"""Tests of the night, step by step."""
