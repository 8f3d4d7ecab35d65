"""Where settings come from. Only this package reads the environment."""
