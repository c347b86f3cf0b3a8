"""The names of `keras.ops`, by family and by the file that declares them.

Ops are declared in files by theme. Keras names families of ops by module, such as `ops.numpy`, and
so do the configs of its files.
"""

from __future__ import annotations

FILES: dict[str, dict[str, tuple[str, ...]]] = {
    "numpy": {
        "arithmetic": (
            *("add", "divide", "divide_no_nan", "floor_divide", "mod", "multiply", "power"),
            *("subtract", "true_divide"),
        ),
        "comparisons": (
            *("equal", "greater", "greater_equal", "less", "less_equal", "logical_and"),
            *("logical_not", "logical_or", "logical_xor", "not_equal"),
        ),
        "elementwise": ("abs", "absolute", "negative", "square"),
        "indexing": ("get_item",),
        "products": ("matmul",),
        "shapes": ("reshape", "squeeze", "transpose"),
    },
}


_HOME = "tapeflow.keras.ops"


def places(families: tuple[str, ...]) -> dict[str, str]:
    """The module that each name of these families is found in."""
    return {
        name: f"{_HOME}.{file}"
        for family in families
        for file, names in FILES[family].items()
        for name in names
    }
