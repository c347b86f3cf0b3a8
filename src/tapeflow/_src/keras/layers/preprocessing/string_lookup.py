"""`StringLookup`: strings as the indices of a vocabulary."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup


class StringLookup(IndexLookup):
    """Maps strings to the indices of a vocabulary, or indices to strings with `invert`.

    The indices begin with the mask token, if there is one, and those of strings that are not in the
    vocabulary.

    Args:
        max_tokens: Largest size of the vocabulary, with the special tokens; None for no limit.
        num_oov_indices: Number of indices for strings that are not in the vocabulary, by their
            hash. With 0 such strings are an error.
        mask_token: String with index 0 in mode `"int"`, and without an index in others.
        oov_token: What `invert` returns for indices that are not in the vocabulary.
        vocabulary: A list, an array or a tensor of strings, or the path of a file with one in each
            line; None for one that `adapt` builds.
        idf_weights: Inverse document frequencies of the vocabulary, for mode `"tf_idf"`.
        invert: Whether to map indices to strings.
        output_mode: `"int"` for indices, `"one_hot"`, `"multi_hot"`, `"count"` or `"tf_idf"`.
        pad_to_max_tokens: Whether vectors have `max_tokens` numbers whatever the vocabulary is.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.
        encoding: How the bytes of strings are decoded for `get_vocabulary`.
        salt: An integer, or two; a key for the hash of `num_oov_indices`.

    Raises:
        ValueError: An argument is invalid, or the vocabulary has a term twice.
        RuntimeError: The layer is called in a mode other than `"int"` before its vocabulary is
            known.

    Example:
        >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
        >>> layer(["b", "a", "x"]).numpy()
        array([2, 1, 0])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str | None = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        salt: Any = None,
        **kwargs: Any,
    ) -> None:
        self.encoding = encoding
        super().__init__(
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
            mask_token=mask_token,
            oov_token=oov_token,
            vocabulary_dtype="string",
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            invert=invert,
            output_mode=output_mode,
            sparse=sparse,
            pad_to_max_tokens=pad_to_max_tokens,
            name=name,
            salt=salt,
            **kwargs,
        )

    def _as_text(self, term: Any) -> Any:
        return term.decode(self.encoding) if isinstance(term, bytes) else term

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["vocabulary_dtype"]
        return {**config, "encoding": self.encoding}
