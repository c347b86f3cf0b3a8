"""The command `tapeflow`: one module per subcommand, listed in `main.py`."""
