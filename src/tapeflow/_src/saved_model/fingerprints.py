"""Fingerprints of SavedModels: numbers by which models, and the parts of them, are told apart.

Equal parts have equal numbers. They are not those that TensorFlow would write, which nobody checks.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from typing import Any

from tapeflow._src.checkpoint.bundle import MODEL_JOURNAL
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.core import protos
from tapeflow._src.core.atomic_files import settle
from tapeflow._src.core.paths import local_path

FILE = "fingerprint.pb"
_VERSION = 4
_FIELDS = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


class Fingerprint:
    """The numbers of one SavedModel: equal parts have equal numbers.

    Args:
        saved_model_checksum: Number of the file `saved_model.pb`.
        graph_def_program_hash: Number of the graph.
        signature_def_hash: Number of the signatures.
        saved_object_graph_hash: Number of the object graph.
        checkpoint_hash: Number of the variables.
        version: Version of the fingerprint.
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """Return the numbers of a FingerprintDef, or of the bytes of one.

        Args:
            proto: The message, or its bytes.

        Raises:
            RuntimeError: If the bytes are no such message.
        """
        if isinstance(proto, bytes):
            try:
                proto = protos.FingerprintDef.FromString(proto)
            except Exception as error:  # protobuf's own class
                raise RuntimeError(
                    f"SavedModel Fingerprint Error: {len(proto)} bytes are no FingerprintDef "
                    f"message: {error}"
                ) from error
        return cls(**{name: getattr(proto, name) for name in _FIELDS}, version=proto.version)

    def singleprint(self) -> str:
        """Return one text for the whole model; the way in which it was written does not count.

        Raises:
            ValueError: If one of the numbers is missing.
        """
        parts = [getattr(self, name) for name in _FIELDS[1:]]
        if not all(parts):
            raise ValueError(f"A singleprint needs all of {', '.join(_FIELDS[1:])}; got {parts}.")
        return "/".join(map(str, parts))

    def _numbers(self) -> list[Any]:
        return [getattr(self, name) for name in _FIELDS]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._numbers() == other._numbers()

    def __hash__(self) -> int:
        return hash(tuple(self._numbers()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in _FIELDS)
        return f"Fingerprint({fields})"

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in _FIELDS]
        return "\n".join(["SavedModel Fingerprint", *lines, ""])


def fingerprint_of(model: bytes, meta: Any, index: bytes) -> bytes:
    """Return the file of a model: of its message as bytes, its MetaGraphDef, and its variables."""
    signatures = [
        key.encode() + meta.signature_def[key].SerializeToString(deterministic=True)
        for key in sorted(meta.signature_def)
    ]
    message = protos.FingerprintDef(
        saved_model_checksum=_number(model),
        graph_def_program_hash=_number(meta.graph_def.SerializeToString(deterministic=True)),
        signature_def_hash=_number(b"".join(signatures)),
        saved_object_graph_hash=_number(
            meta.object_graph_def.SerializeToString(deterministic=True)
        ),
        checkpoint_hash=_number(index),
        uuid=str(uuid.uuid4().int),
    )
    message.version.producer = _VERSION
    data: bytes = message.SerializeToString()
    return data


def _number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")


def read_fingerprint(export_dir: Any) -> Fingerprint:
    """Return the fingerprint of the SavedModel in a folder.

    Args:
        export_dir: The folder of the model.

    Returns:
        The fingerprint, equal for equal models.

    Raises:
        FileNotFoundError: If there is none in the folder.

    Example:
        >>> tf.saved_model.save(tf.Module(), "model")
        >>> fingerprint = tf.saved_model.experimental.read_fingerprint("model")
        >>> len(fingerprint.singleprint().split("/"))
        4
    """
    folder = local_path(export_dir)
    path = os.path.join(folder, FILE)
    settle(os.path.join(folder, MODEL_JOURNAL))
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {folder}"
        )
    return Fingerprint.from_proto(read_file(path))
