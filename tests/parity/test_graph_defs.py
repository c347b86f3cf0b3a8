"""TensorFlow imports the graphs written here, and computes the same.

Every sample of every op, and programs with branches, loops, variables and gradients.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.registry import OPS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tests.graph.programs import INPUTS, PROGRAMS, VARIABLES
from tests.graph.roundtrip import results, run, traced
from tests.graph.test_graph_def_samples import WRITTEN, traced_sample
from tests.ops.harness import Sample
from tests.ops.running import assert_close
from tests.parity.peer import ask

ROOT = Path(__file__).parents[2]
# Random numbers differ, and effects have no results to compare.
COMPARED = [s for s in WRITTEN if OPS[s.op].effect is None]

# Where TensorFlow itself decides otherwise, or nothing is decided.
REFUSED = "TensorFlow's eager mode takes it, its graphs do not"
CHOICE = "vectors are determined up to their sign or phase, values up to their order"
UNSET = "an output that the op leaves unset"
EXEMPT = {
    "Reshape(int8[4],int64[])": REFUSED,
    "EnsureShape(float32[2x3],shape=None)": REFUSED,
    "Range(float16[],float16[],float16[])": REFUSED,
    "BandedTriangularSolve(float32[4x3],float32[3x2])": REFUSED,
    "Betainc(float32[3],float32[2x3],float32[3])": REFUSED,
    "Svd(float32[2x3x4])": CHOICE,
    "Svd(complex64[4x3])": CHOICE,
    "Svd(float32[4x3],full_matrices=True)": CHOICE,
    "SelfAdjointEigV2(float32[3x3])": CHOICE,
    "SelfAdjointEigV2(float32[2x4x4])": CHOICE,
    "SelfAdjointEigV2(complex64[3x3])": CHOICE,
    "Eig(complex64[2x3x3],Tout=complex64)": CHOICE,
    "Lu(complex64[3x3])": "another row is as good a pivot",
    "Svd(float32[4x3],compute_uv=False)": UNSET,
    "Svd(complex64[4x3],compute_uv=False)": UNSET,
    "SelfAdjointEigV2(float32[3x3],compute_v=False)": UNSET,
    "SelfAdjointEigV2(complex64[3x3],compute_v=False)": UNSET,
    "Eig(float32[3x3],Tout=complex64,compute_v=False)": UNSET,
    "Cast(float32[8],DstT=uint32)": "out of range",
    "Round(int64[3])": "TensorFlow's graph optimiser gives zeros, its eager mode does not",
    "StatelessParameterizedTruncatedNormal(int32[2],int64[2],float32[1],float32[3],float32[],"
    "float32[])": "other numbers where parameters are broadcast",
    "StringSplit(object[2],object[],skip_empty=False)": "differs at the end of a string",
    "Eig(float32[3x3],Tout=complex64)": CHOICE,
    "CTCBeamSearchDecoder(float32[6x2x4],int32[2],beam_width=8,top_paths=2)": (
        "the score of a further path counts prefixes dropped on the way otherwise"
    ),
    "DecodeGif(object[])": "a BMP file, which TensorFlow reads by other ops only",
    "DecodeJpeg(object[])": "a BMP file, which TensorFlow reads by other ops only",
}
# Likewise, whatever the sample is.
EXEMPT_OPS = {
    "FusedBatchNormGradV3": UNSET,
    "EncodeJpeg": "other bytes of the same image",
    "ParseExampleV2": "TensorFlow takes a feature in one form only, the sample in three",
    "ParseSequenceExampleV2": "TensorFlow takes a feature in one form only, the sample in three",
}


def decoded_png(file: bytes) -> bytes:
    pixels = tf.io.decode_png(file, dtype=tf.uint16).numpy()
    return pixels.tobytes() + repr(pixels.shape).encode()


def decoded_summary(data: bytes) -> bytes:
    message = tf.compat.v1.Summary.FromString(data)
    for value in message.value:
        value.image.encoded_image_string = decoded_png(value.image.encoded_image_string)
    return bytes(message.SerializeToString())


# PNG files of one image may differ, for each choice of filters: their pixels are compared.
DECODED = {"EncodePng": decoded_png, "ImageSummary": decoded_summary}
# Outputs that are scratch memory for the kernel of the gradient: what is in them, and of which
# shape, depends on the kernel that TensorFlow takes on this processor.
# Its gradient returns two outputs that nothing reads: scalars or empty, by the kernel chosen.
COMPARED_OUTPUTS = {"FusedBatchNormV3": 3, "FusedBatchNormGradV2": 3, "FusedBatchNormGradV3": 3}
# Sums that some of TensorFlow's kernels round to bfloat16 at every term.
ROUNDED_SUMS = {"DepthwiseConv2dNative": 0.1}
# TensorFlow has kernels for fewer dtypes and layouts on CPUs, and its oneDNN on some of them.
NO_KERNEL = (
    "No OpKernel was registered",
    "only supports NHWC",
    "ended by signal",
    "could not create a primitive",
)
# It keeps old ops for old graphs.
REMOVED = "is not available in GraphDef version"


Question = tuple[bytes, dict[str, Any], list[str], dict[str, Any]]


def question(graph: FuncGraph, arrays: list[Any], variables: dict[str, Any]) -> Question:
    message = graph.as_graph_def()
    feed = {t.name: array for t, array in zip(graph.arguments, arrays, strict=True)}
    return message.SerializeToString(), feed, results(message, graph), variables


def sample_question(sample: Sample) -> Question:
    return question(*traced_sample(sample), {})


def program_question(name: str, x: np.ndarray) -> Question:
    variables = {key: tf.Variable(value) for key, value in VARIABLES.items()}
    graph = traced(PROGRAMS[name], tf.TensorSpec([2], tf.float32), variables=variables)
    by_cell = {id(v.handle.static_value): key for key, v in variables.items()}
    handles = {
        inner.op.name: VARIABLES[by_cell[id(outer.static_value)]]
        for outer, inner in graph.captures.values()
    }
    return question(graph, [x], handles)


# By the id of a sample, or by the name of a program and the place of its input.
QUESTIONS: dict[Any, Callable[[], Question]] = {
    **{id(s): partial(sample_question, s) for s in COMPARED},
    **{
        (name, place): partial(program_question, name, x)
        for name in PROGRAMS
        for place, x in enumerate(INPUTS)
    },
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What TensorFlow computes now."""
    folder = tmp_path_factory.mktemp("parity")
    questions = [make() for make in QUESTIONS.values()]
    answers: list[Any] = []
    while len(answers) < len(questions):
        answers += asked(questions[len(answers) :], folder)
    return dict(zip(QUESTIONS, answers, strict=True))


def asked(questions: list[Any], folder: Path) -> list[Any]:
    """The answers up to the first question, if any, that ends TensorFlow's process."""
    asking, answering = folder / "questions", folder / "answers"
    asking.write_bytes(pickle.dumps(questions))
    answering.write_bytes(b"")
    process = ask("run_graph_defs", asking, answering)
    answers = []
    with answering.open("rb") as file:
        while file.peek(1):
            answers.append(pickle.load(file))
    if process.returncode < 0:
        answers.append(f"TensorFlow's process ended by signal {-process.returncode}")
    return answers


@pytest.mark.peer
@pytest.mark.parametrize("sample", COMPARED, ids=str)
def test_tensorflow_runs_what_is_written(sample: Sample, live: dict[Any, Any]) -> None:
    exempt = EXEMPT.get(str(sample)) or EXEMPT_OPS.get(sample.op)
    if exempt:
        pytest.skip(exempt)
    theirs = live[id(sample)]
    if isinstance(theirs, str) and any(reason in theirs for reason in (*NO_KERNEL, REMOVED)):
        pytest.skip(f"TensorFlow cannot run it: {theirs[:200]}")
    assert isinstance(theirs, list), theirs
    graph, arrays = traced_sample(sample)
    count = COMPARED_OUTPUTS.get(sample.op)
    for ours, other in list(zip(run(Body(graph), arrays), theirs, strict=True))[:count]:
        value = np.array(other, object) if isinstance(other, bytes) else np.asarray(other)
        if sample.op in DECODED:
            files = [np.atleast_1d(array).reshape(-1).tolist() for array in (ours, value)]
            here, there = ([DECODED[sample.op](file) for file in each] for each in files)
            assert here == there
        elif ours.dtype.names:  # quantized numbers, which sessions give out as plain ones
            assert ours.tobytes() == value.tobytes()
        elif ours.dtype == tf.bfloat16.as_numpy_dtype and sample.op in ROUNDED_SUMS:
            wide = [np.asarray(each).astype(np.float64) for each in (ours, value)]
            np.testing.assert_allclose(*wide, rtol=0.02, atol=ROUNDED_SUMS[sample.op])
        else:
            assert_close(np.asarray(ours), value, sample)


@pytest.mark.peer
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("place", range(len(INPUTS)))
def test_tensorflow_runs_programs(name: str, place: int, live: dict[Any, Any]) -> None:
    theirs = live[name, place]
    assert isinstance(theirs, list), theirs
    variables = {key: tf.Variable(value) for key, value in VARIABLES.items()}
    graph = traced(PROGRAMS[name], tf.TensorSpec([2], tf.float32), variables=variables)
    handles = [outer.static_value for outer in graph.external_captures]
    ours = [*run(Body(graph), [INPUTS[place], *handles]), *(cell.array for cell in handles)]
    for mine, other in zip(ours, theirs, strict=True):
        if mine.dtype == object:
            np.testing.assert_array_equal(mine, other)
        else:
            np.testing.assert_allclose(mine, other, rtol=1e-5)


def test_exemptions_are_samples() -> None:
    assert set(EXEMPT) <= {str(sample) for sample in COMPARED}
