"""Notes on the objects of a SavedModel, as Keras keeps them: what each one was made of, as JSON.

They are in a file of their own beside the model; before TensorFlow 2.5 they were part of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tapeflow._src.checkpoint.bundle import MODEL_JOURNAL
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.checkpoint.messages import parsed
from tapeflow._src.core import protos
from tapeflow._src.core.atomic_files import one_generation
from tapeflow._src.core.paths import local_path
from tapeflow._src.saved_model.load import model_message

NOTES_FILE = "keras_metadata.pb"
_KERAS = "_tf_keras_"


@dataclass(frozen=True)
class ObjectNote:
    """Metadata of one object: its number, path, kind and text."""

    number: int
    path: str
    identifier: str
    text: str


def written_notes(notes: Iterable[ObjectNote]) -> bytes:
    """Return the contents of the file of notes."""
    message = protos.SavedMetadata()
    for note in notes:
        written = message.nodes.add(
            node_id=note.number,
            node_path=note.path,
            identifier=note.identifier,
            metadata=note.text,
        )
        written.version.producer, written.version.min_consumer = 2, 1
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def object_notes(export_dir: Any) -> list[ObjectNote]:
    """Return the notes of a SavedModel, by number; none if the objects are not those of Keras.

    Raises:
        OSError: there is no SavedModel.
        ValueError: the notes are those of another model.
    """
    folder = local_path(export_dir)
    path = os.path.join(folder, NOTES_FILE)
    with one_generation(os.path.join(folder, MODEL_JOURNAL)) as place:
        graphs = model_message(folder, place).meta_graphs
        data = read_file(place(path)) if os.path.isfile(place(path)) else None
    nodes = graphs[0].object_graph_def.nodes if graphs else ()
    if data is None:
        entries = [
            ObjectNote(number, "", node.user_object.identifier, node.user_object.metadata)
            for number, node in enumerate(nodes)
            if node.user_object.identifier.startswith(_KERAS) and node.user_object.metadata
        ]
        return entries
    notes = [
        ObjectNote(note.node_id, note.node_path, note.identifier, note.metadata)
        for note in parsed(protos.SavedMetadata, data, path).nodes
    ]
    for note in notes:
        known = 0 <= note.number < len(nodes)
        if not known or nodes[note.number].user_object.identifier != note.identifier:
            raise ValueError(
                f"{path} is not of the SavedModel beside it: object {note.number} is no "
                f"'{note.identifier}'. The folder was written twice; save the model anew."
            )
    return sorted(notes, key=lambda note: note.number)
