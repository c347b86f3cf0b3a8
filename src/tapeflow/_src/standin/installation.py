"""Puts the stand-in into Python's import system, and takes it out again."""

from __future__ import annotations

import sys
from importlib import util

from tapeflow._src.standin.class_names import show_as_tapeflow, show_as_tensorflow
from tapeflow._src.standin.finder import ROOT, StandInFinder


def install_as_tensorflow(*, replace_installed: bool = False) -> None:
    """Serve `import tensorflow` by Tapeflow, in this process and from now on.

    Call it before anything imports `tensorflow`. A second call changes nothing.

    Args:
        replace_installed: Whether to hide a TensorFlow that is installed.

    Returns:
        None.

    Raises:
        RuntimeError: TensorFlow is installed, or was imported already.

    Example:
        >>> import tapeflow
        >>> tapeflow.install_as_tensorflow()  # doctest: +SKIP
        >>> import tensorflow  # doctest: +SKIP
        >>> tensorflow is tapeflow  # doctest: +SKIP
        True
    """
    if _finders():
        return
    if ROOT in sys.modules:
        raise RuntimeError(
            "tensorflow is imported already, and parts of it are in use: call "
            "tapeflow.install_as_tensorflow() before the first import of tensorflow."
        )
    if not replace_installed:
        installed = util.find_spec(ROOT)
        if installed is not None:
            raise RuntimeError(
                f"TensorFlow is installed ({installed.origin}), and Tapeflow does not hide it "
                "unless asked: pass replace_installed=True (`tapeflow run --replace-installed`), "
                "or use an environment without TensorFlow."
            )
    sys.meta_path.insert(0, StandInFinder())
    show_as_tensorflow()


def remove_stand_in() -> None:
    """Take the stand-in out of the import system; modules that were imported stay in use."""
    for finder in _finders():
        sys.meta_path.remove(finder)
    show_as_tapeflow()
    for name in [n for n in sys.modules if n == ROOT or n.startswith(f"{ROOT}.")]:
        del sys.modules[name]


def _finders() -> list[StandInFinder]:
    return [finder for finder in sys.meta_path if isinstance(finder, StandInFinder)]
