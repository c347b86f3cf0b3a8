"""Masks of merging layers, whose results were recorded from Keras (`tests.keras.oracle`)."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
rows = [[[0, 0], [1, 2], [0, 0], [3, 4]], [[0, 0], [0, 0], [-1, 2], [3, -4]]]
x, y = (tf.constant([row], "float32") for row in rows)
z = x + 1
masking = k.layers.Masking()
def mask_of(outputs):
    mask = getattr(outputs, "_keras_mask", None)
    return None if mask is None else tf.cast(mask, "int32")
def both(layer, *inputs):
    outputs = layer(list(inputs))
    return [outputs, mask_of(outputs)]
"""

_NAMES = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")


def _program(code: str) -> str:
    return _DATA + code


PROGRAMS = {
    **{
        f"{name.lower()}_masks": _program(
            f"layer = k.layers.{name}()\n"
            "result = [both(layer, masking(x), y), both(layer, x, masking(y)), "
            "both(layer, masking(x), masking(y))]"
        )
        for name in _NAMES
    },
    "three_masks": _program(
        "result = [both(layer, masking(x), masking(y), z) + both(layer, masking(x), z, masking(y))"
        " for layer in (k.layers.Multiply(), k.layers.Maximum(), k.layers.Minimum())]"
    ),
    **{
        f"concatenate_masks_{axis}": _program(
            f"layer = k.layers.Concatenate({axis})\n"
            "result = [both(layer, masking(x), y), both(layer, masking(x), masking(y))]"
        )
        for axis in (1, 2)
    },
    "mask_is_no_list": _program("result = k.layers.Add().compute_mask([x, y], x)"),
    "inputs_are_no_list": _program("result = k.layers.Add().compute_mask(x, [None, None])"),
    "too_few_masks": _program("result = k.layers.Concatenate().compute_mask([x, y], [None])"),
    "in_a_model": _program(
        "i, j = k.Input((4, 2)), k.Input((4, 2))\n"
        "m = k.Model([i, j], k.layers.Multiply()([masking(i), masking(j)]))\n"
        "result = m([x, y])"
    ),
    "sparse_dot": _program(
        "layer = k.layers.Dot(1)\n"
        "a, b = (tf.sparse.from_dense(v[0]) for v in (x, y))\n"
        "outputs = layer([a, b])\n"
        "result = [type(outputs).__name__, tf.sparse.to_dense(outputs)]"
    ),
}
