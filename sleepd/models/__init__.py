"""The doors to language models and to the embedding model."""
