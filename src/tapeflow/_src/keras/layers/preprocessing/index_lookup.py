"""`IndexLookup`: a vocabulary and the indices of its terms; what the lookup layers share."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing import vocabulary as vocabularies
from tapeflow._src.keras.layers.preprocessing.adaptable import Adaptable
from tapeflow._src.keras.layers.preprocessing.categories import (
    ENCODINGS,
    as_list,
    as_tensor,
    batches,
    check_option,
    check_sparse,
    encode,
    one_hot_shape,
    over_values,
)
from tapeflow._src.keras.layers.preprocessing.hashing import as_salt
from tapeflow._src.keras.layers.preprocessing.late_entries import LateEntries

MODES = ("int", *ENCODINGS, "tf_idf")
_OLD_NAMES = {"binary": "multi_hot", "tf-idf": "tf_idf"}
_ARRAYS = (list, tuple, np.ndarray)
# The index of masked terms in vectors: one that every vector is too short for.
_NOWHERE = tf.int64.max


def standard_mode(layer: str, output_mode: str) -> str:
    """The name of an output mode; two have older names."""
    mode = _OLD_NAMES.get(output_mode, output_mode)
    check_option(layer, "output_mode", mode, MODES)
    return mode


class IndexLookup(Adaptable, Layer):
    """Maps terms to indices, or back with `invert`; vectors of indices as `output_mode` says.

    The indices begin with the mask token (in mode "int", if there is one) and those of terms that
    are not in the vocabulary.
    """

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary_dtype: Any,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        name: str | None = None,
        salt: Any = None,
        **kwargs: Any,
    ) -> None:
        size = kwargs.pop("vocabulary_size", None)
        fixed = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        kwargs = {k: v for k, v in kwargs.items() if k not in ("trainable", "dtype")}
        super().__init__(name=name, **kwargs)
        self._convert_input_args = False
        self._allow_non_tensor_positional_args = True
        self.supports_jit = False
        self.invert = invert
        self.max_tokens = max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        self.oov_token = oov_token
        self.output_mode = standard_mode(type(self).__name__, output_mode)
        self.sparse = sparse
        self.pad_to_max_tokens = pad_to_max_tokens
        self.vocabulary_dtype = tf.as_dtype(vocabulary_dtype).name
        self.oov_method = oov_method
        self.salt = as_salt(type(self).__name__, salt)
        self.input_vocabulary = None if vocabularies.is_path(vocabulary) else vocabulary
        self.input_idf_weights = idf_weights
        self._frozen_vocab_size = size
        self._has_input_vocabulary = fixed
        self._tpf_adapts_vocabulary = not fixed
        self._strings = self.vocabulary_dtype == "string"
        self._check_arguments(idf_weights)
        self._tokens: list[Any] = []
        self.idf_weights_const: Any = None
        self._counts: Counter[Any] = Counter()
        self._document_counts: Counter[Any] = Counter()
        self._documents = 0
        # What fills the table that was made without a vocabulary.
        self._later: Any = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)
        else:
            self._make_empty_table()

    def _check_arguments(self, idf_weights: Any) -> None:
        kind = type(self).__name__
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise ValueError(f"{kind}: `max_tokens` must be above 1. Received: {self.max_tokens}")
        if self.pad_to_max_tokens and self.max_tokens is None:
            raise ValueError(f"{kind}: `pad_to_max_tokens=True` needs `max_tokens`.")
        if self.num_oov_indices < 0:
            raise ValueError(
                f"{kind}: `num_oov_indices` must be 0 or more. Received: {self.num_oov_indices}"
            )
        check_option(kind, "oov_method", self.oov_method, ("floormod", "farmhash"))
        if self.salt is not None and not self._strings and self.oov_method != "farmhash":
            raise ValueError(
                f"{kind}: `salt` is for hashes; with integers it needs oov_method='farmhash'. "
                f"Received: oov_method={self.oov_method!r}"
            )
        if self.invert and self.output_mode != "int":
            raise ValueError(
                f"{kind}: `invert=True` needs output_mode='int'. Received: "
                f"output_mode={self.output_mode!r}"
            )
        check_sparse(kind, self.sparse, self.output_mode)
        if idf_weights is not None and self.output_mode != "tf_idf":
            raise ValueError(
                f"{kind}: `idf_weights` need output_mode='tf_idf'. Received: "
                f"output_mode={self.output_mode!r}"
            )
        if self.output_mode == "tf_idf" and self._has_input_vocabulary and idf_weights is None:
            raise ValueError(
                f"{kind}: a `vocabulary` with output_mode='tf_idf' needs `idf_weights`."
            )

    # -- the vocabulary ----------------------------------------------------------------------

    @property
    def idf_weights(self) -> Any:
        """The inverse document frequencies of all indices, in mode "tf_idf"."""
        return self.idf_weights_const

    def _oov_start_index(self) -> int:
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    def _token_start_index(self) -> int:
        return self._oov_start_index() + self.num_oov_indices

    def _special_terms(self) -> list[Any]:
        """Return the tokens before the vocabulary: the mask and out-of-vocabulary tokens."""
        special = [self.mask_token] * self._oov_start_index()
        return special + [self.oov_token] * self.num_oov_indices

    def _as_term(self, term: Any) -> Any:
        return None if term is None else vocabularies.as_term(term, self._strings)

    def _as_text(self, term: Any) -> Any:
        return term.decode() if isinstance(term, bytes) else term

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the terms by their indices.

        Args:
            include_special_tokens: Whether the mask token and the out-of-vocabulary tokens stand
                at the beginning.

        Returns:
            A list of strings or integers.
        """
        tokens = [self._as_text(token) for token in self._tokens]
        return [*self._special_terms(), *tokens] if include_special_tokens else tokens

    def vocabulary_size(self) -> int:
        """Return the number of indices, with those of the special tokens."""
        return len(self._tokens) + self._token_start_index()

    vocab_size = vocabulary_size  # the name in the first versions of Keras 2

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Replace the vocabulary, and in mode `"tf_idf"` the inverse document frequencies.

        Args:
            vocabulary: A list, an array or a tensor of terms, or the path of a file with one of
                them in each line. The special tokens are left out, or all of them come first.
            idf_weights: A number for each term of `vocabulary`.
        """
        self._check_idf_weights(idf_weights)
        if vocabularies.is_path(vocabulary):
            if self.output_mode == "tf_idf":
                raise ValueError("A file has no `idf_weights`, which output_mode='tf_idf' needs.")
            self._make_table(vocabularies.read_file(vocabulary, self._strings))
            self._record_vocabulary_size()
            return
        symbolic = [v for v in (vocabulary, idf_weights) if isinstance(v, tf.Tensor)]
        if symbolic and not tf.executing_eagerly():
            raise RuntimeError(
                f"The vocabulary of layer '{self.name}' is set from a tensor inside a function: "
                f"call `set_vocabulary` outside of it."
            )
        terms = vocabularies.as_terms(vocabulary, self._strings)
        if not terms:
            raise ValueError(f"Layer '{self.name}' received an empty vocabulary.")
        special = [self._as_term(term) for term in self._special_terms()]
        tokens, complete = vocabularies.without_special(terms, special)
        mask = self._as_term(self.mask_token)
        oov = self._as_term(self.oov_token) if self.invert else None
        kind = type(self).__name__
        vocabularies.check_terms(kind, tokens, special, mask, oov, self.max_tokens)
        if idf_weights is not None:
            weights = self._padded_weights(np.asarray(idf_weights), len(terms), complete)
        self._ensure_vocab_size_unchanged(len(tokens) + len(special))
        self._make_table(tokens)
        self._record_vocabulary_size()
        if idf_weights is not None:
            self.idf_weights_const = tf.constant(weights, floatx())

    def _check_idf_weights(self, idf_weights: Any) -> None:
        if (idf_weights is None) == (self.output_mode == "tf_idf"):
            raise ValueError(
                f"`idf_weights` are passed in output_mode='tf_idf', and only there. Received: "
                f"output_mode={self.output_mode!r}, idf_weights={idf_weights}"
            )

    def _padded_weights(self, weights: Any, count: int, complete: bool) -> Any:
        """The weights of all indices; those of special tokens that have none are the average."""
        if weights.ndim != 1 or len(weights) != count:
            raise ValueError(
                f"Layer '{self.name}' expected a vector of {count} `idf_weights`, one for each "
                f"term of the vocabulary. Received an array of shape {weights.shape}"
            )
        front = 0 if complete else self._token_start_index()
        weights = np.concatenate([np.full(front, np.average(weights)), weights])
        return self._padded_to_depth(weights)

    def _padded_to_depth(self, weights: Any) -> Any:
        if not self.pad_to_max_tokens or self.max_tokens is None:
            return weights
        return np.pad(weights, (0, self.max_tokens - len(weights)))

    def _tpf_set_table(self, table: Any, idf_weights: Any) -> None:
        """Take the vocabulary from the handle of a table that Keras 2 has saved.

        idf_weights: those of all indices; None if there are none.
        """
        try:
            keys, values = tf.raw_ops.LookupTableExportV2(
                table_handle=table, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        except tf.errors.FailedPreconditionError:  # saved before the layer had a vocabulary
            return
        terms, indices = (values, keys) if self.invert else (keys, values)
        mask = self._as_term(self.mask_token)
        start = self._token_start_index()
        tokens = vocabularies.by_index(
            terms.numpy().tolist(), indices.numpy().tolist(), start, mask
        )
        if not tokens:
            return
        if idf_weights is None:
            self.set_vocabulary(tokens)
        else:
            complete = [*(self._as_term(term) for term in self._special_terms()), *tokens]
            self.set_vocabulary(complete, idf_weights[: len(complete)])

    def _make_empty_table(self) -> None:
        """Create a table without vocabulary; lookups raise until it has one."""
        with tf.init_scope():
            self._later = LateEntries(self._key_dtype, self._value_dtype)
            self.lookup_table = tf.lookup.StaticHashTable(self._later, self._default())

    def _default(self) -> Any:
        if self.invert:
            return self.oov_token
        return self._oov_start_index() if self.num_oov_indices == 1 else -1

    def _make_table(self, tokens: list[Any]) -> None:
        """Create the table from terms to indices, or its inverse, with the mask token."""
        start = self._token_start_index()
        indices = list(range(start, start + len(tokens)))
        terms = list(tokens)
        if self.mask_token is not None:
            terms.append(self._as_term(self.mask_token))
            indices.append(0 if self.output_mode == "int" else _NOWHERE)
        term_array = np.array(terms, object if self._strings else "int64")
        index_array = np.array(indices, "int64")
        pair = (index_array, term_array) if self.invert else (term_array, index_array)
        with tf.init_scope():
            if self._later is not None:
                self._later.fill(self.lookup_table, *pair)
            else:
                dtypes = (self._key_dtype, self._value_dtype)
                initializer = tf.lookup.KeyValueTensorInitializer(*pair, *dtypes)
                self.lookup_table = tf.lookup.StaticHashTable(initializer, self._default())
        self._later = None
        self._tokens = list(tokens)

    @property
    def _key_dtype(self) -> str:
        return "int64" if self.invert else self.vocabulary_dtype

    @property
    def _value_dtype(self) -> str:
        return self.vocabulary_dtype if self.invert else "int64"

    def _depth_is_fixed(self) -> bool:
        return self.output_mode == "int" or self.pad_to_max_tokens

    def _record_vocabulary_size(self) -> None:
        self._ensure_vocab_size_unchanged(self.vocabulary_size())
        self._frozen_vocab_size = self.vocabulary_size()

    def _ensure_vocab_size_unchanged(self, size: int) -> None:
        if not self._depth_is_fixed() and self._frozen_vocab_size not in (None, size):
            raise RuntimeError(
                f"Layer '{self.name}' returns vectors of {self._frozen_vocab_size} numbers, which "
                f"other layers rely on: a vocabulary of another size needs "
                f"`pad_to_max_tokens=True`. Received a vocabulary of size {size}."
            )

    # -- adapting ----------------------------------------------------------------------------

    def adapt(self, data: Any, steps: int | None = None, batch_size: int | None = None) -> None:
        """Build a vocabulary of the terms in data, the most frequent first.

        Args:
            data: Array, list, tensor, dataset or another iterable of batches.
            steps: Number of batches to use; None for all.
            batch_size: Ignored; an argument of Keras 2.

        Raises:
            ValueError: The layer was created with a `vocabulary`.

        Example:
            >>> layer = tf.keras.layers.StringLookup()
            >>> layer.adapt(["b", "a", "b"])
            >>> layer.get_vocabulary()
            ['[UNK]', 'b', 'a']
        """
        self.reset_state()
        stream = batches(data, steps, _ARRAYS)
        if stream is None:
            data = as_tensor(data, self.vocabulary_dtype)
            stream = iter([tf.expand_dims(data, -1) if data.shape.rank == 1 else data])
        for batch in stream:
            self.update_state(batch)
        self.finalize_state()
        self._tpf_set_adapted(True)

    def update_state(self, data: Any) -> None:
        """Count the terms of one more batch.

        Args:
            data: Terms, dense, sparse or ragged.

        Raises:
            ValueError: The layer was created with a `vocabulary`.
        """
        if self._has_input_vocabulary:
            raise ValueError(
                f"Layer '{self.name}' cannot be adapted: it was created with a `vocabulary`."
            )
        data = as_tensor(data, self.vocabulary_dtype)
        terms, _, counts = tf.unique_with_counts(_values(data), tf.int64)
        counted = zip(terms.numpy().tolist(), counts.numpy().tolist(), strict=True)
        self._counts.update(dict(counted))
        if self.output_mode == "tf_idf":
            documents = _documents(data)
            for terms in documents:
                self._document_counts.update(set(terms))
            self._documents += len(documents)

    def finalize_state(self) -> None:
        """Use the terms that were counted so far."""
        if self._has_input_vocabulary or not self._counts:
            self._record_vocabulary_size()
            return
        for special in (self.mask_token, self.oov_token):
            self._counts.pop(self._as_term(special), None)
        # The most frequent first; of equally frequent ones, the last in the order of bytes first.
        terms = sorted(self._counts, reverse=True)
        counts = np.fromiter(map(self._counts.__getitem__, terms), np.int64, len(terms))
        limit = self.max_tokens - self._token_start_index() if self.max_tokens else None
        tokens = [terms[index] for index in np.argsort(-counts, kind="stable")[:limit].tolist()]
        self._ensure_vocab_size_unchanged(len(tokens) + self._token_start_index())
        self._make_table(tokens)
        if self.output_mode == "tf_idf":
            documents = np.array([self._document_counts[token] for token in tokens])
            weights = np.log(1 + self._documents / (1 + documents))
            front = np.full(self._token_start_index(), weights.mean() if len(weights) else 0.0)
            weights = self._padded_to_depth(np.concatenate([front, weights]))
            self.idf_weights_const = tf.constant(weights, floatx())
        self.reset_state()
        self._record_vocabulary_size()

    def reset_state(self) -> None:
        """Forget what was counted."""
        self._tpf_set_adapted(False)
        if not self._has_input_vocabulary:
            self._counts, self._document_counts, self._documents = Counter(), Counter(), 0

    # -- calling -----------------------------------------------------------------------------

    def call(self, inputs: Any) -> Any:
        if not self._depth_is_fixed() and self._frozen_vocab_size is None:
            raise RuntimeError(
                f"Layer '{self.name}' needs its vocabulary before it is called in output_mode="
                f"{self.output_mode!r}: pass `vocabulary`, or call `adapt` on data."
            )
        inputs = as_tensor(inputs, self._key_dtype)
        lookups = over_values(self._lookup, inputs)
        if self.output_mode == "int":
            return lookups
        counted = "count" if self.output_mode == "tf_idf" else self.output_mode
        dtype = floatx() if is_keras_2() else self._value_dtype
        outputs = encode(lookups, counted, self._depth(), dtype, self.sparse)
        return self._weighted(outputs) if self.output_mode == "tf_idf" else outputs

    def _depth(self) -> Any:
        return self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size

    def _weighted(self, counts: Any) -> Any:
        weights = self.idf_weights_const
        if weights is None:
            raise ValueError(
                f"Layer '{self.name}' has no inverse document frequencies yet: call `adapt`."
            )
        if not isinstance(counts, tf.SparseTensor):
            return tf.cast(counts, weights.dtype) * weights
        values = tf.cast(counts.values, weights.dtype)
        return counts.with_values(values * tf.gather(weights, counts.indices[:, -1]))

    def _lookup(self, inputs: Any) -> Any:
        if self._later is not None and tf.executing_eagerly():
            raise tf.errors.FailedPreconditionError(
                None,
                None,
                f"Layer '{self.name}' has no vocabulary yet: call `adapt` on data, or pass "
                f"`vocabulary`. (Table not initialized)",
            )
        lookups = self.lookup_table.lookup(inputs)
        if self.invert or self.num_oov_indices == 1:
            return lookups
        unknown = tf.equal(lookups, -1)
        if self.num_oov_indices:
            return tf.where(unknown, self._oov_indices(inputs), lookups)
        message = (
            f"Layer '{self.name}' with `num_oov_indices=0` received terms that are not in its "
            f"vocabulary; use `num_oov_indices=1` to have an index for them:"
        )
        terms = tf.boolean_mask(inputs, unknown) if inputs.shape.rank else inputs
        check = tf.debugging.Assert(tf.logical_not(tf.reduce_any(unknown)), [message, terms])
        with tf.control_dependencies([] if check is None else [check]):
            return tf.identity(lookups)

    def _oov_indices(self, inputs: Any) -> Any:
        """Return the indices of terms as out-of-vocabulary terms."""
        count = self.num_oov_indices
        if not self._strings and self.oov_method != "farmhash":
            buckets = tf.math.floormod(inputs, count)
        else:
            terms = inputs if self._strings else tf.strings.as_string(inputs)
            if self.salt is None:
                buckets = tf.strings.to_hash_bucket_fast(terms, count)
            else:
                buckets = tf.strings.to_hash_bucket_strong(terms, count, key=self.salt)
        return buckets + self._oov_start_index()

    # -- describing --------------------------------------------------------------------------

    @property
    def compute_dtype(self) -> str:
        return self.vocabulary_dtype

    @property
    def variable_dtype(self) -> str:  # type: ignore[override]
        return self.vocabulary_dtype

    @property
    def dtype(self) -> str:
        return self.vocabulary_dtype

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.output_mode == "int":
            return input_shape
        shape = tuple(input_shape)
        if self.output_mode == "one_hot":
            return one_hot_shape(shape, self._depth())
        return (*shape[:-1], self._depth())

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape(inputs.shape)
        if self.output_mode != "int":
            return KerasTensor(shape, dtype=floatx(), sparse=self.sparse)
        dtype = self._value_dtype
        return KerasTensor(shape, dtype=dtype, sparse=inputs.sparse, ragged=inputs.ragged)

    def _tpf_described_vocabulary(self) -> dict[str, Any]:
        """The vocabulary and its weights for a config: that of the arguments, or all there is."""
        terms, weights = as_list(self.input_vocabulary), as_list(self.input_idf_weights)
        if terms is None and self._tokens and vocabularies.configs.with_vocabularies:
            terms = self.get_vocabulary(include_special_tokens=False)
            if self.idf_weights_const is not None:
                start = self._token_start_index()
                weights = self.idf_weights_const.numpy()[start : start + len(terms)].tolist()
        return {"idf_weights": weights, "vocabulary": terms}

    @property
    def _tpf_described_as_adapted(self) -> bool:
        fixed = self._has_input_vocabulary or not self._tokens
        return vocabularies.configs.with_vocabularies and not fixed

    def _tpf_allow_adapting(self) -> None:
        """Treat the vocabulary as a learned one, which `adapt` may replace."""
        self.input_vocabulary = self.input_idf_weights = None
        self._has_input_vocabulary, self._tpf_adapts_vocabulary = False, True

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "vocabulary_dtype": self.vocabulary_dtype,
            **self._tpf_described_vocabulary(),
            "vocabulary_size": self._frozen_vocab_size,
            "oov_method": self.oov_method,
            "salt": self.salt,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        vocabularies.refuse_paths(cls.__name__, config)
        return cls(**config)

    def get_build_config(self) -> dict[str, Any]:
        return {}

    def build_from_config(self, config: dict[str, Any]) -> None:
        self.build(None)

    # -- files -------------------------------------------------------------------------------

    def save_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf" and self.idf_weights_const is not None:
            store["idf_weights"] = self.idf_weights_const.numpy()

    def load_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf" and "idf_weights" in store:
            self.idf_weights_const = tf.constant(np.asarray(store["idf_weights"]), floatx())

    def save_assets(self, dir_path: Any) -> None:
        if self.input_vocabulary is None:
            vocabularies.write_asset(dir_path, self.get_vocabulary())

    def load_assets(self, dir_path: Any) -> None:
        if self.input_vocabulary is not None or dir_path is None:
            return
        terms = vocabularies.read_asset(dir_path, self._strings)
        if not terms:
            return
        weights = None
        if self.output_mode == "tf_idf":
            # Beyond the vocabulary they are zeros, which are put there again.
            weights = self.idf_weights_const[: len(terms)]
        self.set_vocabulary(terms, weights)


def _values(data: Any) -> Any:
    """All terms of a batch, a vector."""
    if isinstance(data, tf.SparseTensor):
        data = data.values
    elif isinstance(data, tf.RaggedTensor):
        data = data.flat_values
    return tf.reshape(data, [-1])


def _documents(data: Any) -> list[list[Any]]:
    """The terms of each row of a batch; a vector is one row."""
    if isinstance(data, tf.SparseTensor):
        rows: list[list[Any]] = [[] for _ in range(int(data.dense_shape[0]))]
        for row, term in zip(data.indices.numpy()[:, 0].tolist(), data.values.numpy().tolist()):
            rows[row].append(term)
        return rows
    if isinstance(data, tf.RaggedTensor):
        splits = data.row_splits.numpy()
        for inner in data.nested_row_splits[1:]:
            splits = inner.numpy()[splits]
        terms = _values(data).numpy().tolist()
        return [terms[start:end] for start, end in itertools.pairwise(splits.tolist())]
    array = np.asarray(data)
    return [row.reshape(-1).tolist() for row in (array if array.ndim > 1 else array.reshape(1, -1))]
