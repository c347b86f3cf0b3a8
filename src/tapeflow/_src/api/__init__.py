"""The functions and classes of the public namespaces, by namespace."""
