"""Op declarations: quantisation."""
