"""Types of one's own that consist of tensors, and functions that know them."""
