"""A model server on 127.0.0.1 that follows a script: no key, no network, the same answer every time."""
