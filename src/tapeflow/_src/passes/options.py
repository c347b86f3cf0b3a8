"""The options of the passes, under TensorFlow's names for them, as the user has set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# In TensorFlow's order. Options without a pass may be set as well: what they switch concerns other
# devices, is done by XLA, or while tracing.
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

# These two are listed even if they were never set.
_ALWAYS_LISTED = ("disable_model_pruning", "disable_meta_optimizer")


@dataclass(frozen=True)
class Options:
    """The options that the user has set; hashable, so that results can be cached by them."""

    toggles: tuple[tuple[str, Any], ...] = ()

    def enabled(self, name: str, default: bool) -> bool:
        """Whether a switch is on."""
        return bool(dict(self.toggles).get(name, default))

    @property
    def min_graph_nodes(self) -> int:
        """The size below which graphs are not optimized."""
        return int(dict(self.toggles).get("min_graph_nodes", 0))

    def changed(self, options: Mapping[str, Any]) -> Options:
        """Return these options with some changed, or unset by None."""
        values = dict(self.toggles)
        for name, value in dict(options).items():
            if name == "min_graph_nodes" and (isinstance(value, bool) or not _is_int(value)):
                raise TypeError(
                    f"min_graph_nodes is a number of operations, got {value!r} of type "
                    f"{type(value).__name__}."
                )
            if name in SWITCHES and value is not None:
                values[name] = bool(value)
            elif name == "min_graph_nodes" and value is not None:
                values[name] = int(value)
            else:
                values.pop(name, None)
        return Options(tuple(sorted(values.items())))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings, in TensorFlow's order."""
        values = {**dict.fromkeys(_ALWAYS_LISTED, False), **dict(self.toggles)}
        return {name: values[name] for name in (*SWITCHES, "min_graph_nodes") if name in values}


def _is_int(value: Any) -> bool:
    return value is None or hasattr(value, "__index__")


class _State:
    """The current options, in all threads, and whether functions are compiled."""

    def __init__(self) -> None:
        self.options = Options()
        self.jit = ""


state = _State()


def current() -> Options:
    """Return the current options."""
    return state.options
