"""`tf.__internal__.test`: functions for the tests of libraries."""
