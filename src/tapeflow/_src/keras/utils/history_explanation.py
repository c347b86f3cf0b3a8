"""`tf.explain.history`: the curves of a training."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.utils.history_plot import HistoryPlot, plot_history


def history(history: Any, to_file: Any = None) -> HistoryPlot:
    """Draw the curves of a training, the loss and every metric, as SVG without any library.

    The picture is the same whatever is installed: matplotlib is used only to write a file of
    another format.

    Args:
        history: What `fit` returned, or a dictionary of lists such as its `history`.
        to_file: A file that the picture is written to, None for none.

    Returns:
        The picture, which notebooks show; `to_svg()` returns it as text.

    Raises:
        ValueError: There is no epoch in the history.

    Example:
        >>> plot = tf.explain.history({"loss": [1.0, 0.5], "val_loss": [1.1, 0.8]})
        >>> plot.to_svg()[:4]
        '<svg'
    """
    return plot_history(history, to_file)
