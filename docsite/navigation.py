"""The order of the pages. Examples and namespaces are added by `stage`."""

from __future__ import annotations

from typing import Any

PAGES: list[dict[str, list[Any]]] = [
    {
        "Start": [
            "index.md",
            "ten-minutes.md",
            "coming-from-tensorflow.md",
            "questions.md",
            "status.md",
        ]
    },
    {
        "Tutorials": [
            "tutorials/quickstart.md",
            "tutorials/cnn.md",
            "tutorials/text.md",
            "tutorials/transformer.md",
            "tutorials/gan.md",
            "tutorials/vae.md",
            "tutorials/transfer-learning.md",
            "tutorials/time-series.md",
            "tutorials/training-loops.md",
            "tutorials/data.md",
            "tutorials/saving-and-serving.md",
            "tutorials/distributed.md",
            "tutorials/debugging.md",
        ]
    },
    {
        "Guides": [
            "guides/functions.md",
            "guides/performance.md",
            {"Benchmarks": "performance.md"},
            "profiling.md",
            {"Errors": "errors.md"},
            "guides/files-and-formats.md",
            "files-and-safety.md",
            "guides/extending.md",
            "guides/how-it-works.md",
            "guides/graph-viewer.md",
            "guides/scaling.md",
            {"Scaling, measured": "scaling.md"},
            "keras.md",
            "command-line.md",
            "clients.md",
            "architecture.md",
            "contributing.md",
            "documentation.md",
            "versions.md",
            {"Decisions": ["decisions/README.md"]},
        ]
    },
    {"Examples": ["examples/index.md"]},
    {"API": ["api/index.md"]},
]
