"""`Initializer`: base class of functions from a shape and a dtype to initial values."""

from __future__ import annotations

from typing import Any


class Initializer:
    """Base class of initializers; subclasses define `__call__(shape, dtype=None)`.

    Values are of dtype `floatx()` if `dtype` is None. Any function of these arguments can stand for
    one.

    Example:
        >>> class Ramp(tf.keras.initializers.Initializer):
        ...     def __call__(self, shape, dtype=None):
        ...         return tf.reshape(tf.range(np.prod(shape), dtype=dtype or "float32"), shape)
        >>> tf.keras.layers.Dense(2, kernel_initializer=Ramp())(tf.eye(2)).numpy()
        array([[0., 1.],
               [2., 3.]], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define `__call__(self, shape, dtype=None)`, which "
            f"returns the initial value."
        )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal initializer from, as a dict.

        Example:
            >>> tf.keras.initializers.GlorotUniform(seed=1).get_config()
            {'seed': 1, 'input_axes': None, 'output_axes': None}
        """
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """Create an initializer from the config of `get_config`.

        Args:
            config: The dict.

        Returns:
            A new initializer.

        Example:
            >>> tf.keras.initializers.Constant.from_config({"value": 2.0})(()).numpy()
            np.float32(2.0)
        """
        return cls(**config)

    def clone(self) -> Initializer:
        """Return an equal initializer, which draws the same values if it has a seed of its own.

        Example:
            >>> tf.keras.initializers.Constant(2.0).clone()((2,)).numpy()
            array([2., 2.], dtype=float32)
        """
        return type(self).from_config(self.get_config())
