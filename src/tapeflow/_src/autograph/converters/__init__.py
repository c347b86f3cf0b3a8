"""Converters: one rewriting of the syntax tree per file, with code from quoted templates.

A converter takes the tree of a function and a `Context`, and returns the changed tree. Every node
keeps, or gets, a location in the user's file: so tracebacks, debuggers and error messages show the
user's own lines.
"""
