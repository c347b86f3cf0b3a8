"""`python -m tapeflow.run SCRIPT.py …`: the same as `tapeflow run`."""

from __future__ import annotations

import sys

from tapeflow._src.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["run", *sys.argv[1:]]))
