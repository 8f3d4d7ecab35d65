"""The pages, and what makes some of them from the code."""
