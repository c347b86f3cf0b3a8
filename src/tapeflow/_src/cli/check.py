"""`tapeflow check PATH...`: lists what of a code base Tapeflow does not support."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from tapeflow._src.cli.code_names import Use, uses
from tapeflow._src.cli.resolution import Problem, problem
from tapeflow._src.core.tensorflow_names import recorded

NAME = "check"
HELP = (
    "List the names and arguments of TensorFlow that a code base uses and Tapeflow does not have, "
    "with the line and what to use instead. Reads Python files and notebooks; runs nothing of them."
)
_ENDINGS = (".py", ".ipynb")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print unsupported uses; return 1 if there are any."""
    used: Counter[str] = Counter()
    problems: list[Problem] = []
    files = 0
    for path in _files(options.paths):
        files += 1
        in_file: list[Use] = []
        try:
            for use in uses(path):
                in_file.append(use)
        except SyntaxError as error:
            print(f"{path}:{error.lineno}: not read: {error.msg}", file=sys.stderr)
        used.update(use.name for use in in_file)
        problems += _problems(in_file)
    if options.json:
        rows = [asdict(each) for each in problems]
        print(json.dumps({"files": files, "names": len(used), "problems": rows}, indent=2))
    else:
        _print(files, len(used), problems)
    return 1 if problems else 0


def _problems(in_file: Iterable[Use]) -> Iterator[Problem]:
    for use in in_file:
        trouble = problem(use)
        if trouble is not None:
            yield trouble


def _print(files: int, names: int, problems: list[Problem]) -> None:
    for each in problems:
        print(f"{each.path}:{each.line}: {each.name}: {each.message}")
    missing = Counter(each.name for each in problems)
    result = "all are supported"
    if missing:
        result = f"{len(missing)} are not supported, in {len(problems)} places"
        names_of_peer = recorded()
        neither = [name for name in missing if name.removeprefix("tf.") not in names_of_peer]
        if neither:
            result += f"; {len(neither)} of these TensorFlow 2.21 does not have either"
    print(f"{files} files use {names} names of TensorFlow and Keras: {result}.")
    for name, count in missing.most_common(20) if len(problems) > 20 else ():
        print(f"  {count:5} {name}")


def _files(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(_ENDINGS))
