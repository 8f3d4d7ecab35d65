"""The gate's laboratory: the shipped gate over simulated candidates whose true effect is known."""
