"""`StringLookup`: strings as the indices of a vocabulary."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup


class StringLookup(IndexLookup):
    """Maps strings to the indices of a vocabulary, or indices to strings with `invert`.

    Args:
        max_tokens: the largest size of the vocabulary, with the special tokens.
        num_oov_indices: how many indices strings get that are not in the vocabulary, by their
            hash. With 0 such strings are an error.
        mask_token: the string with index 0 in mode "int", and without an index in others.
        oov_token: what `invert` returns for indices that are not in the vocabulary.
        vocabulary: a list, an array or a tensor of strings, or the path of a file with one in each
            line. `adapt` finds one if there is none.
        idf_weights: the inverse document frequencies of the vocabulary, for mode "tf_idf".
        invert: map indices to strings.
        output_mode: "int", "one_hot", "multi_hot", "count" or "tf_idf".
        pad_to_max_tokens: return vectors of `max_tokens` numbers whatever the vocabulary is.
        sparse: return a SparseTensor, unless the mode is "int".
        encoding: how the bytes of strings are decoded for `get_vocabulary`.
        salt: an integer, or two; a key for the hash of `num_oov_indices`.

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
