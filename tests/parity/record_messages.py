"""Record TensorFlow's messages as bytes and texts, for `tests/core/test_protos.py`.

Run where TensorFlow is installed, from the root of the repository. The names come in as JSON, a
list or the keys of a record:

    python -m tests.parity.record_messages [target] < tests/golden/messages.json
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf  # noqa: F401  loads most messages
from google.protobuf import descriptor_pool, message_factory
from tensorflow.core.protobuf import (  # noqa: F401  load messages, too
    fingerprint_pb2,
    saved_model_pb2,
    snapshot_pb2,
    tensor_bundle_pb2,
)
from tensorflow.tsl.profiler.protobuf import xplane_pb2  # noqa: F401  and those of profiles
from tf_keras.protobuf import (  # noqa: F401  and those of Keras 2
    projector_config_pb2,
    saved_metadata_pb2,
)

from tests.parity.messages import serialized, structure, variants

GOLDEN = Path(__file__).parents[1] / "golden" / "messages.json"
# Those of which the text is kept, too: what people print.
PRINTED = ("GraphDef", "NodeDef", "FunctionDef", "TensorProto", "AttrValue", "Example", "Event")

# Where messages have their place, unless it is TensorFlow's own.
KERAS = "third_party.py.tf_keras.protobuf"
PLACES = {
    "SavedMetadata": f"{KERAS}.SavedMetadata",
    "SavedMetadata.SavedObject": f"{KERAS}.SavedObject",
    "EmbeddingInfo": f"{KERAS}.EmbeddingInfo",
    "ProjectorConfig": f"{KERAS}.ProjectorConfig",
    "SpriteMetadata": f"{KERAS}.SpriteMetadata",
    **{
        name: f"tensorflow.profiler.{name}"
        for name in ("XEvent", "XEventMetadata", "XLine", "XPlane", "XSpace", "XStat")
    },
    "XStatMetadata": "tensorflow.profiler.XStatMetadata",
    "SnapshotMetadataRecord": "tensorflow.data.experimental.SnapshotMetadataRecord",
}


def record(name: str, *, everything: bool) -> dict[str, Any]:
    place = PLACES.get(name, f"tensorflow.{name}")
    descriptor = descriptor_pool.Default().FindMessageTypeByName(place)
    messages = variants(message_factory.GetMessageClass(descriptor))
    found: dict[str, Any] = {
        "bytes": [base64.b64encode(serialized(m)).decode() for m in messages],
    }
    if everything or name in PRINTED:
        found["text"] = [str(m) for m in messages]
    if everything:
        found["structure"] = structure(descriptor)
    return found


def main() -> None:
    names = list(json.load(sys.stdin))
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN
    records = {name: record(name, everything=target != GOLDEN) for name in names}
    lines = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in records.items())
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(records)} messages -> {target}")


if __name__ == "__main__":
    main()
