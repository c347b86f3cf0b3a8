"""`tf.data.Options`: how a dataset is executed.

Options are stored, merged and returned as in TensorFlow. Execution adapts to the measured time of
elements, so most options request what is done anyway or what is not needed.
"""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers.

    Example:
        >>> tf.data.experimental.AutoShardPolicy.FILE.name
        'FILE'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """How external state is handled when a dataset is saved.

    Example:
        >>> tf.data.experimental.ExternalStatePolicy.WARN.name
        'WARN'
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How the number of threads is tuned.

    Example:
        >>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.name
        'HILL_CLIMB'
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Option:
    """One of the options of a set: an attribute of a certain type."""

    def __init__(self, name: str, kind: type) -> None:
        self._name = name
        self._kind = kind

    def __get__(self, owner: Any, cls: type | None = None) -> Any:
        if owner is None:
            return self
        value = owner._given[self._name]
        return owner._defaults.get(self._name) if value is None else value

    def __set__(self, owner: Any, value: Any) -> None:
        if owner._frozen:
            raise ValueError(
                f"The options of a dataset cannot be changed: option {self._name!r} would have no "
                f"effect. Set it on a new tf.data.Options(), and pass that to "
                f"Dataset.with_options()."
            )
        if not isinstance(value, self._kind):
            raise TypeError(
                f"Option '{self._name}' must be of type {self._kind.__name__}. Received: "
                f"{value!r} of type {type(value).__name__}"
            )
        owner._given[self._name] = value


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
        object.__setattr__(self, "_frozen", False)

    def __init_subclass__(cls) -> None:
        for name, kind in cls._types.items():
            setattr(cls, name, _Option(name, kind))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: it has "
                f"{', '.join(self._types)}."
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._given == self._given

    def __hash__(self) -> int:
        return hash((type(self), *map(repr, self._given.values())))

    def _freeze(self) -> None:
        """Refuse changes from now on."""
        object.__setattr__(self, "_frozen", True)
        for value in self._given.values():
            if isinstance(value, _OptionSet):
                value._freeze()

    def _merged(self, other: Any) -> Any:
        """Return these options, overridden by those set in `other`."""
        result = type(self)()
        for name, mine in self._given.items():
            theirs = other._given[name]
            if isinstance(mine, _OptionSet):
                result._given[name] = mine._merged(theirs)
            elif isinstance(mine, list) and isinstance(theirs, list):
                result._given[name] = [*mine, *(item for item in theirs if item not in mine)]
            else:
                result._given[name] = mine if theirs is None else theirs
        return result


class ThreadingOptions(_OptionSet):
    """The number of threads.

    Example:
        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 2
        >>> ds = tf.data.Dataset.range(3).with_options(options)
        >>> ds.options().threading.private_threadpool_size
        2
    """

    _types = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class AutotuneOptions(_OptionSet):
    """How the number of threads is tuned.

    Example:
        >>> options = tf.data.Options()
        >>> options.autotune.enabled = False
        >>> tf.data.Dataset.range(3).with_options(options).options().autotune.enabled
        False
    """

    _types = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class DistributeOptions(_OptionSet):
    """How a dataset is divided among workers.

    Example:
        >>> options = tf.data.Options()
        >>> policy = tf.data.experimental.AutoShardPolicy.DATA
        >>> options.experimental_distribute.auto_shard_policy = policy
        >>> options.experimental_distribute.auto_shard_policy.name
        'DATA'
    """

    _types = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_OptionSet):
    """Which optimizations may be applied.

    Example:
        >>> options = tf.data.Options()
        >>> options.experimental_optimization.map_fusion = True
        >>> options.experimental_optimization.map_fusion
        True
    """

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
    """Options of a dataset: set attributes, then pass them to `Dataset.with_options`.

    Attributes that were not set do not override others.

    Example:
        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 2
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
        >>> dataset.options().threading.private_threadpool_size
        2
    """

    _types = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }

    @property
    def experimental_deterministic(self) -> bool | None:
        """The former name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: bool) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> ThreadingOptions:
        """The former name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: ThreadingOptions) -> None:
        self.threading = value

    def merge(self, options: Options) -> Options:
        """Return these options, overridden by those set in `options`.

        Args:
            options: Another `tf.data.Options`.

        Example:
            >>> one, other = tf.data.Options(), tf.data.Options()
            >>> one.deterministic, other.deterministic = True, False
            >>> one.merge(other).deterministic
            False
        """
        merged: Options = self._merged(options)
        return merged
