"""Op declarations: strings."""
