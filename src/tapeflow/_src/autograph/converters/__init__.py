"""One rewriting of the syntax tree a file; the code put in comes from quoted templates.

A converter takes the tree of a function and a `Context`, and gives the tree back, changed. Every
node keeps, or is given, the place in the user's file that it stands for: so tracebacks, debuggers
and error messages show the user's own lines.
"""
