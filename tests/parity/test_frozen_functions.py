"""TensorFlow imports the graphs of frozen functions, and computes the same."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.function.freezing import frozen
from tests.graph.frozen_programs import CALLS, program
from tests.graph.roundtrip import results
from tests.parity.peer import ask


@pytest.mark.peer
@pytest.mark.parametrize("lower", [True, False])
def test_tensorflow_runs_frozen_functions(lower: bool, tmp_path: Path) -> None:
    concrete = program()
    graph = frozen(concrete, lower).graph
    message = graph.as_graph_def()
    names = [tensor.name for tensor in graph.inputs]
    fetched = results(message, graph)
    questions = [
        (message.SerializeToString(), dict(zip(names, call, strict=True)), fetched, {})
        for call in CALLS
    ]
    asking, answering = tmp_path / "questions", tmp_path / "answers"
    asking.write_bytes(pickle.dumps(questions))
    ask("run_graph_defs", asking, answering)
    with answering.open("rb") as file:
        for call in CALLS:
            theirs = pickle.load(file)
            assert isinstance(theirs, list), theirs
            for mine, other in zip(concrete(*map(tf.constant, call)), theirs, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-6)
