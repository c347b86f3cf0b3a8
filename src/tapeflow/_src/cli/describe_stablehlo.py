"""Describes StableHLO files, the artefacts of `jax.export`."""

from __future__ import annotations

import os

from tapeflow._src.cli.description import Description, Size, Table
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.executors.compiler import INSTALL

artefacts = LazyModule("tapeflow._src.executors.xla_artefacts", "StableHLO files", INSTALL)


def stablehlo(path: str) -> Description:
    """Describe the function in a StableHLO file.

    Raises:
        ImportError: if JAX or flatbuffers is not installed.
        ValueError: if it is no artefact of `jax.export`, or a damaged one.
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        artefact = artefacts.read(data)
    except ValueError as error:
        raise ValueError(
            f"{path} is no artefact of jax.export that this version of JAX reads, or it is "
            f"damaged ({error}). `tapeflow convert` writes such files."
        ) from error
    facts = {
        "function": artefact.name,
        "platforms": artefact.platforms,
        "devices": artefact.devices,
        "calling convention": artefact.calling_convention,
        "code": Size(artefact.code_bytes),
        "file": Size(os.path.getsize(path)),
        "gradient": artefact.has_gradient,
    }
    table = Table("signature", ("", "tensor", "dtype", "shape"), artefact.signature)
    return Description(path, "StableHLO file (jax.export)", facts, [table])
