"""The proof-run: the whole product on a simulated person, without a key, asserted on what the person's rules say."""
