"""Op declarations: images."""
