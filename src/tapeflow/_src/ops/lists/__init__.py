"""Op declarations: lists of tensors."""
