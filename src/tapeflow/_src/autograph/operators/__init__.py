"""The operators of generated code. They dispatch by type: symbolic tensors are staged."""
