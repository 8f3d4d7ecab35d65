"""Words and pure functions: no input or output, no clock, no chance, no logging."""
