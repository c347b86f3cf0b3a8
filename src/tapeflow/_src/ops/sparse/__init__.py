"""Op declarations: the parts of sparse tensors."""
