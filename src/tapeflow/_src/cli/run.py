"""`tapeflow run`: a program that imports `tensorflow`, run on Tapeflow."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from tapeflow._src.standin import install_as_tensorflow

NAME = "run"
HELP = "run a Python program with `import tensorflow` served by Tapeflow"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--replace-installed",
        action="store_true",
        help="hide a TensorFlow that is installed",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", metavar="PROGRAM", help="a script, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")


def run(options: argparse.Namespace) -> int:
    """Run the program as `python` would; its exceptions and exit codes are its own."""
    install_as_tensorflow(replace_installed=options.replace_installed)
    if not options.module and not os.path.exists(options.program):
        raise FileNotFoundError(f"there is no program {options.program}")
    sys.argv = [options.program, *options.arguments]
    try:
        if options.module:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
            runpy.run_path(options.program, run_name="__main__")
    except Exception:
        # Shown as the program's own, with the whole traceback.
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    return 0
