"""The switches of the passes, under TensorFlow's names for them, as the user has set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# In TensorFlow's order. Those that no pass listens to may be set all the same: what they switch
# concerns other devices, is done by XLA, or while tracing.
SWITCHES = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "disable_model_pruning",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "use_plugin_optimizers",
    "disable_meta_optimizer",
    "auto_mixed_precision_onednn_bfloat16",
    "auto_mixed_precision_mkl",
)

# These two are told even if they were never set.
_ALWAYS_TOLD = ("disable_model_pruning", "disable_meta_optimizer")


@dataclass(frozen=True)
class Options:
    """What the user has set; it has a hash, so that what depends on it can be kept by it."""

    given: tuple[tuple[str, Any], ...] = ()

    def enabled(self, name: str, default: bool) -> bool:
        """Whether a switch is on."""
        return bool(dict(self.given).get(name, default))

    @property
    def min_graph_nodes(self) -> int:
        """Smaller graphs are left alone."""
        return int(dict(self.given).get("min_graph_nodes", 0))

    def changed(self, options: Mapping[str, Any]) -> Options:
        """These options with some set anew, or by None as if never set."""
        given = dict(self.given)
        for name, value in dict(options).items():
            if name == "min_graph_nodes" and (isinstance(value, bool) or not _is_int(value)):
                raise TypeError(
                    f"min_graph_nodes is a number of operations, got {value!r} of type "
                    f"{type(value).__name__}."
                )
            if name in SWITCHES and value is not None:
                given[name] = bool(value)
            elif name == "min_graph_nodes" and value is not None:
                given[name] = int(value)
            else:
                given.pop(name, None)
        return Options(tuple(sorted(given.items())))

    def told(self) -> dict[str, Any]:
        """What is set, in TensorFlow's order."""
        given = {**dict.fromkeys(_ALWAYS_TOLD, False), **dict(self.given)}
        return {name: given[name] for name in (*SWITCHES, "min_graph_nodes") if name in given}


def _is_int(value: Any) -> bool:
    return value is None or hasattr(value, "__index__")


class _State:
    """The options in force, in all threads, and whether functions are to be compiled."""

    def __init__(self) -> None:
        self.options = Options()
        self.jit = ""


state = _State()


def current() -> Options:
    """The options in force."""
    return state.options
