"""`tf.config.optimizer`: options of the graph passes.

The switches and what listens to them are in `passes.pipeline`. Functions run with the options that
are in force when they are first called.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.passes.options import state

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]


def set_experimental_options(options: dict[str, Any]) -> None:
    """Switch passes on (True), off (False) or to their defaults (None).

    Args:
        options: Values by name. `constant_folding`, `shape_optimization`, `arithmetic_optimization`
            (common subexpressions, too), `dependency_optimization` (identities),
            `loop_optimization` (branches, too), `debug_stripper` (leaves out assertions, checks and
            prints; off by default), `disable_model_pruning` (computes results of branches and loops
            that nobody takes), `disable_meta_optimizer` (no pass at all), `min_graph_nodes`
            (smaller
            graphs are not changed). TensorFlow's other names are accepted and ignored: what they
            switch is done while tracing, by XLA, or is of use on other devices only. Unknown names
            are ignored.

    Returns:
        None.

    Example:
        >>> tf.config.optimizer.set_experimental_options({"constant_folding": False})
        >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
        False
        >>> tf.config.optimizer.set_experimental_options({"constant_folding": None})
    """
    state.options = state.options.changed(options)


def get_experimental_options() -> dict[str, Any]:
    """Return the options that have been set.

    Returns:
        A dict from names to values.
    """
    return state.options.as_dict()


def set_jit(enabled: bool | str) -> None:
    """Request compilation by XLA: functions are compiled in any case, as soon as it pays.

    Args:
        enabled: True or "autoclustering"; False for neither.

    Returns:
        None.
    """
    state.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_jit() -> str:
    """Return the value set by `set_jit`: "autoclustering" or "".

    Returns:
        A string.

    Example:
        >>> tf.config.optimizer.get_jit()
        ''
    """
    return state.jit
