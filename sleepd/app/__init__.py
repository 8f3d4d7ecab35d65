"""What the user touches: commands, settings, wiring."""
