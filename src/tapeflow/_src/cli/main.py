"""Parses the command line and calls the subcommand."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tapeflow._src.cli import check, convert, inspect, run
from tapeflow._src.core.errors import OpError

# Each module has `NAME`, `HELP`, `add_arguments(parser)` and `run(options) -> int`.
COMMANDS = (run, inspect, check, convert)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    top = argparse.ArgumentParser(prog="tapeflow", description="Works with models and their files.")
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = subparsers.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit code: 1 if it failed, 2 for a wrong command line."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except BrokenPipeError:
        # The reader of a pipe is gone (`| head`); Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError, NotImplementedError, ImportError, OpError) as error:
        print(f"tapeflow {options.command}: {error}", file=sys.stderr)
        return 1
