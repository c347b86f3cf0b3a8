"""Array and byte routines that op bodies call; nothing here declares an op."""
