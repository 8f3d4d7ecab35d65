"""The machine the user works at: power, idleness, notifications. One module for each kind of system."""
