"""Names of Keras 2 for reductions."""

from __future__ import annotations


class Reduction:
    """Names of the reductions of Keras 2: how losses of samples are combined.

    Keras 3 takes the strings; "auto" of Keras 2 is "sum_over_batch_size".

    Example:
        >>> tf.keras.losses.Reduction.SUM
        'sum'
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all reductions, as a tuple of strings."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is a reduction.

        Args:
            key: A string.

        Raises:
            ValueError: `key` is not one of `Reduction.all()`.
        """
        if key not in cls.all():
            raise ValueError(
                f"`reduction` must be one of {', '.join(map(repr, cls.all()))}. Received: {key!r}"
            )
