"""Op declarations: variables, optimizer steps and lookup tables."""
