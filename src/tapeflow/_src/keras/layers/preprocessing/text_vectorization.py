"""`TextVectorization`: texts as indices of words, or as vectors of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.adaptable import Adaptable
from tapeflow._src.keras.layers.preprocessing.categories import (
    as_tensor,
    batches,
    check_option,
)
from tapeflow._src.keras.layers.preprocessing.index_lookup import standard_mode
from tapeflow._src.keras.layers.preprocessing.string_lookup import StringLookup
from tapeflow._src.keras.layers.preprocessing.vocabulary import refuse_paths
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import VALUE

_PUNCTUATION = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""
_STANDARDIZE = (None, "lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLIT = (None, "whitespace", "character")


class TextVectorization(Adaptable, Layer):
    """Standardizes texts, splits them into tokens, and looks these up in a vocabulary.

    In mode `"int"`, index 0 is padding and index 1 stands for tokens that are not in the
    vocabulary.

    Args:
        max_tokens: Largest size of the vocabulary, with the special tokens; None for no limit.
        standardize: `"lower_and_strip_punctuation"`, `"lower"`, `"strip_punctuation"`, None, or a
            function of a tensor of strings.
        split: `"whitespace"`, `"character"`, None, or a function of a tensor of strings, which
            returns a ragged tensor of them.
        ngrams: Number up to which neighbouring tokens are joined, or a tuple of such numbers; None
            for single tokens.
        output_mode: `"int"` for indices, `"one_hot"`, `"multi_hot"`, `"count"` or `"tf_idf"`.
        output_sequence_length: Number of tokens that texts are padded or cut to in mode `"int"`;
            None for the longest text of the batch.
        pad_to_max_tokens: Whether vectors have `max_tokens` numbers whatever the vocabulary is.
        vocabulary: A list, an array or a tensor of strings, or the path of a file with one in each
            line; None for one that `adapt` builds.
        idf_weights: Inverse document frequencies of the vocabulary, for mode `"tf_idf"`.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.
        ragged: Whether to return a `tf.RaggedTensor` in mode `"int"`.
        encoding: How the bytes of tokens are decoded for `get_vocabulary`.

    Raises:
        ValueError: An argument is invalid, or texts to split have several columns.

    Example:
        >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=3)
        >>> layer.adapt(["a red, red rose", "a song"])
        >>> layer(["A rose!"]).numpy()
        array([[3, 5, 0]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        output_mode = standard_mode("TextVectorization", output_mode)
        _check_arguments(standardize, split, ngrams, output_mode, output_sequence_length, ragged)
        fixed = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        size = kwargs.pop("vocabulary_size", None)
        super().__init__(name=name, **kwargs)
        self._max_tokens = max_tokens
        self._standardize = standardize
        self._split = split
        self._ngrams_arg = ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self._output_mode = output_mode
        self._output_sequence_length = output_sequence_length
        self._tpf_ragged = ragged
        self._encoding = encoding
        self._has_input_vocabulary = fixed
        self._tpf_adapts_vocabulary = not fixed
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            pad_to_max_tokens=pad_to_max_tokens,
            mask_token="",
            output_mode=output_mode,
            sparse=sparse,
            has_input_vocabulary=fixed,
            encoding=encoding,
            vocabulary_size=size,
        )
        self._convert_input_args = False
        self._allow_non_tensor_positional_args = True
        self.supports_jit = False

    @property
    def compute_dtype(self) -> str:
        return "string"

    @property
    def variable_dtype(self) -> str:  # type: ignore[override]
        return "string"

    @property
    def dtype(self) -> str:
        return "string"

    def build(self, input_shape: Any = None) -> None:
        pass

    # -- the vocabulary ----------------------------------------------------------------------

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Build a vocabulary of the tokens in texts, the most frequent first.

        Args:
            data: Array, list, tensor, dataset or another iterable of batches of strings.
            batch_size: Ignored; an argument of Keras.
            steps: Number of batches to use; None for all.

        Raises:
            ValueError: The layer was created with a `vocabulary`.

        Example:
            >>> layer = tf.keras.layers.TextVectorization()
            >>> layer.adapt(["a red, red rose"])
            >>> layer.get_vocabulary()
            ['', '[UNK]', 'red', 'rose', 'a']
        """
        self.reset_state()
        stream = batches(data, steps, (list, tuple, np.ndarray))
        if stream is None:
            data = as_tensor(data, tf.string)
            stream = iter([tf.expand_dims(data, -1) if data.shape.rank == 1 else data])
        for batch in stream:
            self.update_state(batch)
        self.finalize_state()
        self._tpf_set_adapted(True)

    def update_state(self, data: Any) -> None:
        """Count the tokens of one more batch.

        Args:
            data: Strings of shape (batch,) or (batch, 1).
        """
        self._lookup_layer.update_state(self._preprocess(data))

    def finalize_state(self) -> None:
        """Use the tokens that were counted so far."""
        self._lookup_layer.finalize_state()

    def reset_state(self) -> None:
        """Forget what was counted."""
        self._tpf_set_adapted(False)
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """Return the tokens by their indices.

        Args:
            include_special_tokens: Whether the padding and the out-of-vocabulary token stand at
                the beginning.

        Returns:
            A list of strings.

        Example:
            >>> layer = tf.keras.layers.TextVectorization(vocabulary=["red", "green"])
            >>> layer.get_vocabulary()
            ['', '[UNK]', 'red', 'green']
        """
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """Return the number of indices, with those of the special tokens.

        Example:
            >>> tf.keras.layers.TextVectorization(vocabulary=["red", "green"]).vocabulary_size()
            4
        """
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Replace the vocabulary, and in mode `"tf_idf"` the inverse document frequencies.

        Args:
            vocabulary: A list, an array or a tensor of tokens, or the path of a file with one of
                them in each line. The special tokens are left out, or all of them come first.
            idf_weights: A number for each token of `vocabulary`.

        Example:
            >>> layer = tf.keras.layers.TextVectorization()
            >>> layer.set_vocabulary(["rose", "song"])
            >>> layer(["rose and song"]).numpy()
            array([[2, 1, 3]])
        """
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights=idf_weights)

    # -- calling -----------------------------------------------------------------------------

    def _preprocess(self, inputs: Any) -> Any:
        """The tokens of texts: standardized, split, joined to n-grams."""
        inputs = as_tensor(inputs, tf.string)
        if callable(self._standardize):
            inputs = self._standardize(inputs)
        elif self._standardize is not None:
            if self._standardize != "strip_punctuation":
                inputs = tf.strings.lower(inputs)
            if self._standardize != "lower":
                inputs = tf.strings.regex_replace(inputs, _PUNCTUATION, "")
        if self._split is not None:
            inputs = self._split_texts(inputs)
        if self._ngrams is not None:
            inputs = tf.strings.ngrams(inputs, ngram_width=self._ngrams, separator=" ")
        return inputs

    def _split_texts(self, inputs: Any) -> Any:
        if inputs.shape.rank is not None and inputs.shape.rank > 1:
            if inputs.shape[-1] != 1:
                raise ValueError(
                    f"TextVectorization splits a vector of texts, or texts with a last axis of "
                    f"size 1. Received inputs of shape {inputs.shape}; `split=None` is for tokens."
                )
            inputs = tf.squeeze(inputs, axis=-1)
        if self._split == "whitespace":
            return tf.strings.split(inputs)
        if self._split == "character":
            return tf.strings.unicode_split(inputs, "UTF-8")
        return self._split(inputs)

    def call(self, inputs: Any) -> Any:
        lookups = self._lookup_layer.call(self._preprocess(inputs))
        length = self._output_sequence_length
        if self._output_mode != "int":
            return lookups
        if isinstance(lookups, tf.RaggedTensor) and not self._tpf_ragged:
            return lookups.to_tensor(default_value=0, shape=[*lookups.shape[:-1], length])
        if length is None:
            return lookups
        outputs = lookups[..., :length]
        if self._tpf_ragged:
            return outputs
        missing = length - tf.shape(outputs)[-1]
        rank = outputs.shape.rank
        outputs = tf.pad(outputs, [*([[0, 0]] * (rank - 1)), [0, missing]])
        outputs.set_shape([*lookups.shape[:-1], length])
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tuple(input_shape)
        if self._output_mode == "int":
            return (shape[0], self._output_sequence_length)
        if self._split is not None:
            # A column of texts is taken for the texts themselves.
            shape = (*(shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape), None)
        elif len(shape) <= 1:
            shape = (*shape, 1)
        return self._lookup_layer.compute_output_shape(shape)

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape(inputs.shape)
        if self._output_mode == "int":
            return KerasTensor(shape, dtype="int64", ragged=self._tpf_ragged)
        return KerasTensor(shape, dtype=floatx(), sparse=self._lookup_layer.sparse)

    # -- describing --------------------------------------------------------------------------

    @property
    def _tpf_described_as_adapted(self) -> bool:
        return self._lookup_layer._tpf_described_as_adapted

    def _tpf_allow_adapting(self) -> None:
        """Treat the vocabulary as a learned one, which `adapt` may replace."""
        self._lookup_layer._tpf_allow_adapting()
        self._has_input_vocabulary = False
        self._tpf_adapts_vocabulary = True

    def get_config(self) -> dict[str, Any]:
        lookup = self._lookup_layer
        return {
            **super().get_config(),
            "max_tokens": lookup.max_tokens,
            "standardize": self._standardize,
            "split": self._split,
            "ngrams": self._ngrams_arg,
            "output_mode": self._output_mode,
            "output_sequence_length": self._output_sequence_length,
            "pad_to_max_tokens": lookup.pad_to_max_tokens,
            "sparse": lookup.sparse,
            "ragged": self._tpf_ragged,
            **lookup._tpf_described_vocabulary(),
            "encoding": self._encoding,
            "vocabulary_size": self.vocabulary_size(),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        refuse_paths(cls.__name__, config)
        config = dict(config)
        for step in ("standardize", "split"):
            if isinstance(config.get(step), dict):
                config[step] = read_object(config[step], VALUE)
        if isinstance(config.get("ngrams"), list):
            config["ngrams"] = tuple(config["ngrams"])
        return cls(**config)

    # -- files -------------------------------------------------------------------------------

    def save_own_variables(self, store: Any) -> None:
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path: Any) -> None:
        """Write the vocabulary to a file, unless the constructor received it.

        Args:
            dir_path: Folder of the file.
        """
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path: Any) -> None:
        """Read the vocabulary that `save_assets` wrote.

        Args:
            dir_path: Folder of the file; None to read nothing.
        """
        self._lookup_layer.load_assets(dir_path)


def _check_arguments(
    standardize: Any, split: Any, ngrams: Any, output_mode: str, length: Any, ragged: bool
) -> None:
    kind = "TextVectorization"
    if not callable(standardize):
        check_option(kind, "standardize", standardize, _STANDARDIZE)
    if not callable(split):
        check_option(kind, "split", split, _SPLIT)
    widths = ngrams if isinstance(ngrams, tuple) else () if ngrams is None else (ngrams,)
    if not all(isinstance(width, int) for width in widths):
        raise ValueError(
            f"{kind}: `ngrams` are a width, a tuple of widths, or None. Received: ngrams={ngrams!r}"
        )
    if length is not None and (output_mode != "int" or not isinstance(length, int)):
        raise ValueError(
            f"{kind}: `output_sequence_length` is an integer, for output_mode='int' only. "
            f"Received: output_sequence_length={length}, output_mode={output_mode!r}"
        )
    if ragged and output_mode != "int":
        raise ValueError(
            f"{kind}: `ragged=True` needs output_mode='int'. Received: output_mode={output_mode!r}"
        )
