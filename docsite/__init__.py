"""Build the documentation site: pages made from docstrings and tables, and hooks for MkDocs."""
