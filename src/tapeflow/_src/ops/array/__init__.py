"""Op declarations: shapes, indexing, joining and moving of arrays."""
