"""Reads artefacts of `jax.export`; the code in them is neither parsed nor run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.export

# Role ("input" or "output"), name, dtype, and shape, in which symbolic sizes are strings.
Row = tuple[str, str, str, list[Any]]


class Artefact(NamedTuple):
    """The metadata of an artefact."""

    name: str
    signature: list[Row]
    platforms: list[str]
    devices: int
    calling_convention: int
    code_bytes: int
    has_gradient: bool


def read(data: bytes) -> Artefact:
    """Return the description of a serialized function.

    Raises:
        ImportError: if flatbuffers is not installed.
        ValueError: if it is no artefact that this version of JAX reads, or a damaged one.
    """
    try:
        exported = jax.export.deserialize(bytearray(data))
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # JAX trusts offsets, types and texts in the file.
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return Artefact(
        exported.fun_name,
        [
            *_rows("input", exported.in_tree, exported.in_avals),
            *_rows("output", exported.out_tree, exported.out_avals),
        ],
        list(exported.platforms),
        exported.nr_devices,
        exported.calling_convention_version,
        len(exported.mlir_module_serialized),
        exported.has_vjp(),
    )


def _rows(role: str, tree: Any, specs: Sequence[Any]) -> Iterator[Row]:
    """Yield a row per tensor; its name is how to reach it in the arguments or in the result."""
    util = jax.tree_util
    for keys, spec in util.tree_flatten_with_path(util.tree_unflatten(tree, specs))[0]:
        if role == "output":
            name = f"result{util.keystr(keys)}"
        else:
            name = ("args", "kwargs")[keys[0].idx] + util.keystr(keys[1:])
        shape = [size if isinstance(size, int) else str(size) for size in spec.shape]
        yield role, name, str(spec.dtype), shape
