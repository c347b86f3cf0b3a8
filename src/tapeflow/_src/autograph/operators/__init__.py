"""What generated code calls. They decide by type: a symbolic tensor is staged, all else runs."""
