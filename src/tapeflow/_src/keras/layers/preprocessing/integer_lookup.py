"""`IntegerLookup`: integers as the indices of a vocabulary."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup


class IntegerLookup(IndexLookup):
    """Maps integers to the indices of a vocabulary, or indices to integers with `invert`.

    The indices begin with the mask token, if there is one, and those of integers that are not in
    the vocabulary.

    Args:
        max_tokens: Largest size of the vocabulary, with the special tokens; None for no limit.
        num_oov_indices: Number of indices for integers that are not in the vocabulary. With 0 such
            integers are an error.
        mask_token: Integer with index 0 in mode `"int"`, and without an index in others.
        oov_token: What `invert` returns for indices that are not in the vocabulary.
        vocabulary: A list, an array or a tensor of integers, or the path of a file with one in
            each line; None for one that `adapt` builds.
        vocabulary_dtype: `"int64"`.
        idf_weights: Inverse document frequencies of the vocabulary, for mode `"tf_idf"`.
        invert: Whether to map indices to integers.
        output_mode: `"int"` for indices, `"one_hot"`, `"multi_hot"`, `"count"` or `"tf_idf"`.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.
        pad_to_max_tokens: Whether vectors have `max_tokens` numbers whatever the vocabulary is.
        oov_method: Which of `num_oov_indices` an integer gets: its remainder (`"floormod"`), or the
            hash of its digits (`"farmhash"`).
        salt: An integer, or two; a key for the hash.

    Raises:
        ValueError: An argument is invalid, or the vocabulary has a term twice.
        RuntimeError: The layer is called in a mode other than `"int"` before its vocabulary is
            known.

    Example:
        >>> layer = tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 1138])
        >>> layer([[12, 1138], [7, 36]]).numpy()
        array([[1, 3],
               [0, 2]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int | None = -1,
        vocabulary: Any = None,
        vocabulary_dtype: str = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        salt: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if vocabulary_dtype != "int64":
            raise ValueError(
                f"IntegerLookup: `vocabulary_dtype` must be 'int64'. Received: {vocabulary_dtype!r}"
            )
        super().__init__(
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
            mask_token=mask_token,
            oov_token=oov_token,
            vocabulary_dtype=vocabulary_dtype,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            invert=invert,
            output_mode=output_mode,
            sparse=sparse,
            pad_to_max_tokens=pad_to_max_tokens,
            oov_method=oov_method,
            name=name,
            salt=salt,
            **kwargs,
        )

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for token in ("oov_token", "mask_token"):
            config[token] = None if config[token] is None else int(config[token])
        if config["vocabulary"] is not None:
            config["vocabulary"] = [int(term) for term in config["vocabulary"]]
        return config
