"""Samples of ops on boxes in images."""

import numpy as np

from tests.ops.harness import S, f16, f32, i32

_G = np.random.default_rng(7)
_CORNER = _G.uniform(0, 0.7, (12, 2))
_BOXES = np.concatenate([_CORNER, _CORNER + _G.uniform(0.1, 0.5, (12, 2))], 1).astype(np.float32)
_SCORES = _G.uniform(0, 1, 12).astype(np.float32)
_MOST = np.int32(6)
_LIMIT, _LEAST = np.float32(0.3), np.float32(0.1)
_DRAWN = np.stack([_BOXES[:5], _BOXES[5:10] * 1.5 - 0.3])
_PALETTE = np.array([[0.1, 0.2, 0.3], [0.9, 0.5, 0.4]], np.float32)
_SIZE = np.array([40, 50, 3], np.int32)
_OBJECTS = np.array([[[0.1, 0.2, 0.6, 0.7]]], np.float32)
_COVERED = np.float32(0.3)

SAMPLES = [
    S("DrawBoundingBoxes", f32(2, 9, 8, 3), _DRAWN),
    S("DrawBoundingBoxes", f16(2, 9, 8, 1), _DRAWN),
    S("DrawBoundingBoxesV2", f32(2, 9, 8, 3), _DRAWN, _PALETTE),
    S("DrawBoundingBoxesV2", f32(2, 9, 8, 1), _DRAWN, np.zeros((0, 4), np.float32)),
    S("DrawBoundingBoxesV2", f32(2, 9, 8, 3), f32(2, 0, 4), _PALETTE),
    S("NonMaxSuppressionV3", _BOXES, _SCORES, _MOST, _LIMIT, _LEAST),
    S("NonMaxSuppressionV3", f16(4, 4), f16(4), _MOST, np.float16(0.5), np.float16(-9)),
    S("NonMaxSuppressionV3", f32(0, 4), f32(0), _MOST, _LIMIT, _LEAST),
    S(
        "NonMaxSuppressionV4",
        _BOXES,
        _SCORES,
        _MOST,
        _LIMIT,
        _LEAST,
        pad_to_max_output_size=True,
    ),
    S("NonMaxSuppressionV5", _BOXES, _SCORES, _MOST, _LIMIT, _LEAST, np.float32(0.5)),
    S(
        "NonMaxSuppressionV5",
        _BOXES,
        _SCORES,
        np.int32(20),
        _LIMIT,
        _LEAST,
        np.float32(0),
        pad_to_max_output_size=True,
    ),
    S("NonMaxSuppressionWithOverlaps", f32(5, 5), f32(5), _MOST, _LIMIT, _LEAST),
    S(
        "CombinedNonMaxSuppression",
        np.stack([_BOXES, _BOXES[::-1]])[:, :, None],
        f32(2, 12, 3),
        np.int32(4),
        np.int32(7),
        _LIMIT,
        _LEAST,
    ),
    S(
        "CombinedNonMaxSuppression",
        _BOXES[None, :, None],
        f32(1, 12, 2),
        np.int32(2),
        np.int32(30),
        _LIMIT,
        _LEAST,
        pad_per_class=True,
        clip_boxes=False,
    ),
    S("SampleDistortedBoundingBoxV2", _SIZE, _OBJECTS, _COVERED, seed=3, seed2=4),
    S("StatelessSampleDistortedBoundingBox", _SIZE, _OBJECTS, _COVERED, i32(2)),
    S(
        "StatelessSampleDistortedBoundingBox",
        _SIZE.astype(np.int64),
        f32(1, 0, 4),
        _COVERED,
        i32(2),
        use_image_if_no_bounding_boxes=True,
    ),
    S(
        "ExtractGlimpseV2",
        f32(2, 5, 6, 2),
        np.array([3, 4], np.int32),
        f32(2, 2),
        noise="zero",
        uniform_noise=False,
    ),
]
