"""Op declarations: matrices."""
