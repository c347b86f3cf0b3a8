"""`tf.__internal__`: functions for libraries."""
