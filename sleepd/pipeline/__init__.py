"""The steps of a night; each reads rows and writes rows."""
