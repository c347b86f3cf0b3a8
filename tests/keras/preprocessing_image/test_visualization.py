"""Boxes and masks drawn into images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

visualization = tf.keras.visualization
IMAGES = np.zeros((1, 20, 20, 3), "uint8")
BOXES = {"boxes": np.array([[[2, 3, 10, 12], [0, 0, 5, 5]]]), "labels": np.array([[1, -1]])}


def test_boxes_are_drawn() -> None:
    found = visualization.draw_bounding_boxes(
        IMAGES, BOXES, "xyxy", color=(255, 0, 0), line_thickness=1
    )
    red = found[0, :, :, 0] == 255
    assert found.dtype == np.uint8 and found.shape == IMAGES.shape
    assert red[3, 2:11].all() and red[12, 2:11].all() and red[3:13, 2].all() and red[3:13, 10].all()
    assert red.sum() == 2 * 9 + 2 * 8
    texts = visualization.draw_bounding_boxes(IMAGES, BOXES, "xyxy", {1: "cat"}, (255, 0, 0))
    assert (texts != found).any()


def test_masks_are_blended() -> None:
    masks = np.array([[[[0], [1]], [[2], [-1]]]])
    images = np.full((1, 2, 2, 3), 100.0)
    found = visualization.draw_segmentation_masks(
        images, masks, num_classes=3, color_mapping={0: (0, 0, 0), 1: (200, 0, 0), 2: (0, 200, 0)}
    )
    assert found[0].tolist() == [
        [[20, 20, 20], [180, 20, 20]],
        [[20, 180, 20], [100, 100, 100]],
    ]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda v: v.draw_bounding_boxes(IMAGES[0], BOXES, "xyxy"), ValueError),
        (lambda v: v.draw_bounding_boxes(IMAGES, [1], "xyxy"), TypeError),
        (lambda v: v.draw_bounding_boxes(IMAGES, {"boxes": 1}, "xyxy"), ValueError),
        (lambda v: v.draw_segmentation_masks(IMAGES, np.zeros((1, 20, 20, 1))), TypeError),
        (lambda v: v.plot_image_gallery(IMAGES, y_true=[1]), ValueError),
        (lambda v: v.plot_image_gallery(IMAGES, path="a", show=True), ValueError),
    ],
)
def test_bad_arguments(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call(visualization)
