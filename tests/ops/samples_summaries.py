"""Samples of ops that make summaries."""

import numpy as np

from tapeflow._src.core import protos
from tests.ops.harness import S, f32, i32, text


def summary(tag: str) -> np.ndarray:
    message = protos.Summary()
    message.value.add(tag=tag, simple_value=1.0)
    array = np.empty((), object)
    array[()] = message.SerializeToString()
    return array


TAG = text("tag").reshape(())
SAMPLES = [
    S("ScalarSummary", TAG, f32()),
    S("ScalarSummary", text("a", "b"), i32(2)),
    S("HistogramSummary", TAG, f32(3, 2)),
    S("ImageSummary", TAG, f32(2, 3, 4, 3), max_images=1),
    S("ImageSummary", TAG, np.full((1, 2, 2, 1), 7, np.uint8)),
    S("AudioSummaryV2", TAG, np.full((2, 5, 1), 0.5, np.float32), np.float32(8000), max_outputs=1),
    S("TensorSummaryV2", TAG, i32(2, 2), text("").reshape(())),
    S("MergeSummary", [summary("a"), summary("b")]),
]
