"""`python -m tapeflow`: the same as the command `tapeflow`."""

from __future__ import annotations

from tapeflow._src.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
