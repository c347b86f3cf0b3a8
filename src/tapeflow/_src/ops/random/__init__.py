"""Op declarations: random numbers."""
