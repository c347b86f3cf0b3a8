"""`Initializer`: base class of functions from a shape and a dtype to initial values."""

from __future__ import annotations

from typing import Any


class Initializer:
    """Base class of initializers; subclasses define `__call__(shape, dtype=None)`."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define `__call__(self, shape, dtype=None)`, which "
            f"returns the initial value."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer from what `get_config` gave."""
        return cls(**config)

    def clone(self) -> Initializer:
        """An equal initializer."""
        return type(self).from_config(self.get_config())
