"""Calibration of models: blocks are quantized one after the other, on outputs of those before."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.quantizers.awq import AWQ
from tapeflow._src.keras.quantizers.calibrator import Calibrator
from tapeflow._src.keras.quantizers.configs import CalibratedConfig
from tapeflow._src.keras.quantizers.gptq import GPTQ
from tapeflow._src.keras.utils.progbar import Progbar

CALIBRATORS: dict[str, Any] = {"gptq": GPTQ, "awq": AWQ}


def _tokens(dataset: Any, tokenizer: Any, eos_id: int | None) -> np.ndarray:
    """Return the tokens of all examples of a dataset, one after the other."""
    if not hasattr(dataset, "__iter__") or isinstance(dataset, (str, bytes)):
        raise TypeError(
            f"Expected texts or arrays of tokens as `dataset`, in a list or another iterable, "
            f"received {type(dataset).__name__}. Load the examples first and pass them."
        )
    examples = list(dataset)
    if not examples:
        raise ValueError("The dataset for the calibration is empty: it needs one example at least.")
    pieces: list[Any] = []
    for number, example in enumerate(examples):
        if isinstance(example, str):
            tokenize = getattr(tokenizer, "tokenize", tokenizer)
            if number and eos_id is not None:
                pieces.append([eos_id])
            example = tokenize(example)
        pieces.append(np.asarray(example).reshape(-1))
    return np.concatenate(pieces).astype(np.int32)


def get_dataloader(
    tokenizer: Any,
    sequence_length: int,
    dataset: Any,
    num_samples: int = 128,
    *,
    strategy: str = "strided",
    seed: int = 42,
    stride: int | None = None,
    eos_id: int | None = None,
) -> np.ndarray:
    """Cut a dataset into sequences of tokens; a short one is repeated.

    Args:
        tokenizer: Has a method `tokenize`, or is a function, from a text to its tokens.
        sequence_length: The number of tokens of a sequence.
        dataset: An iterable of texts, or of arrays of tokens.
        num_samples: The number of sequences.
        strategy: Where sequences begin: `"strided"`, at regular distances from a position that
            depends on the seed; `"linspace"`, evenly from the first to the last position;
            `"random"`.
        seed: The seed of the positions.
        stride: The distance of `"strided"`; by default the sequences cover the dataset.
        eos_id: A token to put between texts.

    Returns:
        An int32 array of shape (num_samples, 1, sequence_length).
    """
    tokens = _tokens(dataset, tokenizer, eos_id)
    needed = num_samples * sequence_length
    if tokens.size < needed:
        tokens = np.tile(tokens, math.ceil(needed / max(1, tokens.size)))
    last = tokens.size - sequence_length
    if last < 0:
        raise ValueError(
            f"The dataset for the calibration has {tokens.size} tokens: a sequence needs "
            f"{sequence_length}."
        )
    rng = np.random.default_rng(seed)
    if strategy == "random":
        starts = rng.integers(0, last + 1, num_samples)
    elif strategy == "linspace":
        starts = np.linspace(0, last, num_samples, dtype=np.int64)
    elif strategy == "strided":
        step = max(1, (last + 1) // num_samples) if stride is None else stride
        starts = (rng.integers(0, last + 1) + np.arange(num_samples) * step) % (last + 1)
    else:
        raise ValueError(f"Unknown strategy {strategy!r}: use 'strided', 'linspace' or 'random'.")
    return tokens[starts[:, np.newaxis, np.newaxis] + np.arange(sequence_length)]


@contextmanager
def _observing(calibrators: list[Calibrator]) -> Iterator[None]:
    """Let calibrators see the inputs of their layers."""
    try:
        for calibrator in calibrators:
            calibrator.original_layer._observer = calibrator.observe
        yield
    finally:
        for calibrator in calibrators:
            calibrator.original_layer._observer = None


def _layers_to_calibrate(block: Any, chosen: Callable[[Any], bool]) -> list[Any]:
    """Return the layers of a block that were quantized, but have not been calibrated yet."""
    layers = {id(layer): layer for layer in block._flatten_layers()}.values()
    return [
        layer for layer in layers if getattr(layer, "_needs_calibration", False) and chosen(layer)
    ]


def checked_structure(config: CalibratedConfig, structure: Any) -> tuple[list[Any], list[Any]]:
    """Return the layers before the blocks, and the blocks."""
    if config.dataset is None or config.tokenizer is None:
        raise ValueError(
            f"The mode '{config.mode}' requires a dataset and a tokenizer: pass them to "
            f"`{type(config).__name__}`."
        )
    if structure is None:
        raise ValueError(
            f"The mode '{config.mode}' requires a quantization structure, and there is none: pass "
            f"`quantization_layer_structure` to `{type(config).__name__}`, or define "
            f"`get_quantization_layer_structure(mode)` in the model. It is a dictionary with "
            f"lists of layers, 'pre_block_layers' and 'sequential_blocks'."
        )
    blocks = list(structure.get("sequential_blocks", []))
    if not blocks:
        raise ValueError(
            "There are no 'sequential_blocks' in the quantization structure: nothing would be "
            "quantized."
        )
    return list(structure.get("pre_block_layers", [])), blocks


def calibrate(
    config: CalibratedConfig, structure: Any, chosen: Callable[[Any], bool] = lambda layer: True
) -> None:
    """Quantize the layers of the blocks of a model by examples.

    Args:
        config: The options, with the dataset.
        structure: The layers that inputs go through first, `pre_block_layers`, and the blocks
            that follow one another, `sequential_blocks`.
        chosen: Returns whether a layer is quantized.
    """
    before, blocks = checked_structure(config, structure)
    samples = get_dataloader(
        config.tokenizer, config.sequence_length, config.dataset, config.num_samples
    )
    inputs = []
    for sample in samples:
        x = tf.constant(sample)
        for layer in before:
            x = layer(x)
        inputs.append(x)
    progress = Progbar(target=len(blocks))
    for number, block in enumerate(blocks):
        layers = _layers_to_calibrate(block, chosen)
        calibrators = [CALIBRATORS[config.mode](layer, config) for layer in layers]
        with _observing(calibrators):
            for x in inputs:
                block(x)
        for calibrator in calibrators:
            calibrator.quantize()
        # What follows is calibrated on what the quantized block computes.
        if number + 1 < len(blocks):
            inputs = [_first(block(x)) for x in inputs]
        progress.update(current=number + 1)


def _first(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, (list, tuple)) else outputs
