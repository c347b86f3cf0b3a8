"""What `tf.__internal__.test` offers to libraries."""
