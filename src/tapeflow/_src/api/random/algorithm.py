"""`tf.random.Algorithm`: random number algorithms and their names."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.random import stateless as random_stateless


class Algorithm(Enum):
    """A random number algorithm: PHILOX, THREEFRY or AUTO_SELECT, which leaves the choice to the
    library.

    On CPUs, AUTO_SELECT is Philox.

    Example:

        >>> tf.random.Algorithm.PHILOX.name
        'PHILOX'
    """

    PHILOX = random_stateless.PHILOX
    THREEFRY = random_stateless.THREEFRY
    AUTO_SELECT = random_stateless.AUTO_SELECT


_BY_NAME = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "autoselect": Algorithm.AUTO_SELECT,
}


def algorithm_id(alg: Any) -> Any:
    """Return the id of an algorithm: a number, a name, an enum member or a tensor."""
    if isinstance(alg, int):
        return alg
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, Tensor):
        return alg
    if isinstance(alg, str):
        algorithm = _BY_NAME.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if algorithm is None:
            raise ValueError(unsupported(alg))
        return algorithm.value
    raise TypeError(f"alg must be an Algorithm, its name or its number, received {alg!r}.")


def unsupported(alg: Any) -> str:
    """Return the message for an unknown algorithm."""
    names = [a.value for a in Algorithm] if isinstance(alg, int) else [a.name for a in Algorithm]
    philox, threefry, auto = (str(name).lower() for name in names)
    return (
        f"Unsupported algorithm alg={alg!r}: expected {philox} (Philox), {threefry} (ThreeFry) or "
        f"{auto} (the library chooses)."
    )


def seed_tensor(seed: Any) -> Any:
    """Convert a seed to a tensor: int64, unless it is a tensor already."""
    return dispatch.convert(seed, None, dtypes.int64)


def key_counter_alg(seed: Any, alg: Any) -> tuple[Any, Any, int]:
    """Return the key, counter and algorithm that stateless ops take, for a seed."""
    seed = seed_tensor(seed)
    automatic = alg is None or (type(alg) is str and alg == "auto_select")
    number = random_stateless.AUTO_SELECT if automatic else algorithm_id(alg)
    if number in (random_stateless.PHILOX, random_stateless.AUTO_SELECT):
        key, counter = random_stateless.stateless_random_get_key_counter(seed)
    elif number == random_stateless.THREEFRY:
        # Split as the algorithm expects; an invalid state is refused by the op, with its name.
        words = cast(seed, DstT=dtypes.uint64)
        key, counter = words[:1] | words[1:] << np.uint64(32), words[:1] * np.uint64(0)
    else:
        raise ValueError(unsupported(alg))
    return key, counter, number


def draws_by_seed(alg: Any) -> bool:
    """Whether a call draws by an op that takes the seed itself.

    Graphs have ops that take a key and a counter, as TensorFlow's do. The numbers are the same, and
    an eager call saves one op and three small arrays, a third of its time.
    """
    return dispatch.state.mode.graph is None and type(alg) is str and alg == "auto_select"


def draw(
    by_seed: Any, by_key: Any, shape: Any, seed: Any, alg: Any, dtype: Any, name: str | None
) -> Any:
    """Draw standard numbers for a seed by one of two ops (see `draws_by_seed`)."""
    if draws_by_seed(alg):
        return by_seed(shape, seed_tensor(seed), dtype=dtype, name=name)
    return by_key(shape, *key_counter_alg(seed, alg), dtype=dtype, name=name)
