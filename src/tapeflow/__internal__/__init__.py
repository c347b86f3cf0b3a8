"""`tf.__internal__`: what libraries built on `tf` need beyond its public names."""
