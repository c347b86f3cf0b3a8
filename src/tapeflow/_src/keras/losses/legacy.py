"""Names of Keras 2 for reductions."""

from __future__ import annotations


class Reduction:
    """Names of the reductions of Keras 2: how losses of samples are combined."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is a reduction."""
        if key not in cls.all():
            raise ValueError(
                f"`reduction` must be one of {', '.join(map(repr, cls.all()))}. Received: {key!r}"
            )
