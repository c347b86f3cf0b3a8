"""`tf.data.Options`: how a dataset is executed.

Options are stored, merged and returned as in TensorFlow. Execution adapts to the measured time of
elements, so most options request what is done anyway or what is not needed.
"""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """How external state is handled when a dataset is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How the number of threads is tuned."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _OptionSet:
    """Named options; those that were set are distinguished from defaults."""

    # The type of each option, and what it is if nobody has set it.
    _types: dict[str, type] = {}
    _defaults: dict[str, Any] = {}

    def __init__(self) -> None:
        # Options that consist of further ones are there from the beginning.
        defaults = {
            name: kind() if issubclass(kind, _OptionSet) else None
            for name, kind in self._types.items()
        }
        object.__setattr__(self, "_given", defaults)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_given", {})
        if name not in values:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = values[name]
        return self._defaults.get(name) if value is None else value

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._types.get(name)
        if kind is None:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: it has "
                f"{', '.join(self._types)}."
            )
        if not isinstance(value, kind):
            raise TypeError(
                f"Option '{name}' must be of type {kind.__name__}. Received: {value!r} of type "
                f"{type(value).__name__}"
            )
        self._given[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._types]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._given == self._given

    def __hash__(self) -> int:
        return hash((type(self), *map(repr, self._given.values())))

    def _merged(self, other: Any) -> Any:
        """Return these options, overridden by those set in `other`."""
        result = type(self)()
        for name, mine in self._given.items():
            theirs = other._given[name]
            if isinstance(mine, _OptionSet):
                result._given[name] = mine._merged(theirs)
            else:
                result._given[name] = mine if theirs is None else theirs
        return result


class ThreadingOptions(_OptionSet):
    """The number of threads."""

    _types = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class AutotuneOptions(_OptionSet):
    """How the number of threads is tuned."""

    _types = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class DistributeOptions(_OptionSet):
    """How a dataset is divided among workers."""

    _types = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_OptionSet):
    """Which optimizations may be applied."""

    _types = dict.fromkeys(
        (
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ),
        bool,
    )


class ServiceOptions(_OptionSet):
    """How a dataset is run by a service."""

    _types = {"pinned": bool}


class Options(_OptionSet):
    """Options of a dataset: set attributes, then pass them to `Dataset.with_options`."""

    _types = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_threading": ThreadingOptions,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }

    def merge(self, options: Options) -> Options:
        """Return these options, overridden by those set in `options`."""
        merged: Options = self._merged(options)
        return merged
