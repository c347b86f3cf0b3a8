"""Op declarations: control flow, constants, calls into Python, checks, printing, summaries."""
