"""Show a model in a notebook: its layers as a picture, and its summary."""

from __future__ import annotations

from html import escape
from typing import Any

from tapeflow._src.keras.utils.model_visualization import model_to_dot


def model_html(model: Any) -> str:
    """Return the summary of a model and, if it is built, a picture of its layers."""
    lines: list[str] = []
    model.summary(print_fn=lines.append, line_length=80)
    text = escape("\n".join(map(str, lines)))
    picture = ""
    if model.built:
        dot = model_to_dot(model, show_shapes=True, show_layer_names=True)
        picture = f'<div style="overflow:auto">{dot._repr_svg_()}</div>'
    title = escape(repr(model))
    return f"<details><summary>{title}</summary><pre>{text}</pre></details>{picture}"
