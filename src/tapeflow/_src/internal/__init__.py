"""What `tf.__internal__` offers to libraries."""
