"""The variables and tables of columns, which belong to the layer that evaluates them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tapeflow._src.core.types import DTypeLike, Identifier, ShapeLike


class StateManager:
    """Creates the variables of columns in a layer, and keeps their tables.

    Args:
        layer: An object with `add_weight`.
        trainable: Whether variables are trained at all.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer = layer
        self._trainable = trainable
        self._variables: dict[Any, dict[str, Any]] = defaultdict(dict)
        self._resources: dict[Any, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Identifier | None = None,
        variable_name: str | None = None,
    ) -> Any:
        """Create a variable of a column, called `variable_name` if that is another name."""
        variable = self._layer.add_weight(
            name=variable_name or name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=self._trainable and trainable,
        )
        self._remember(feature_column, name, variable)
        return variable

    def add_variable(self, feature_column: Any, var: Any, name: str = "") -> None:
        """Have a column use a variable that exists."""
        self._remember(feature_column, name or var.name, var)

    def _remember(self, column: Any, name: str, variable: Any) -> None:
        if name in self._variables[column]:
            raise ValueError(f"Column '{column.name}' has a variable '{name}' already.")
        self._variables[column][name] = variable

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Return a variable of a column."""
        if name not in self._variables[feature_column]:
            raise ValueError(
                f"Column '{feature_column.name}' has no variable '{name}': its layer must be built "
                f"before it is called."
            )
        return self._variables[feature_column][name]

    def restore_variable(
        self, feature_column: Any, name: str, checkpoint: str, tensor_name: Any
    ) -> None:
        """Assign the value that a variable has in a checkpoint."""
        raise NotImplementedError(
            f"Column '{feature_column.name}' takes its values from the checkpoint {checkpoint}, "
            f"which {type(self).__name__} cannot read."
        )

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keep a table of a column."""
        self._resources[feature_column][name] = resource

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Whether a table of a column exists."""
        return name in self._resources[feature_column]

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """Return a table of a column."""
        if not self.has_resource(feature_column, name):
            raise ValueError(f"Column '{feature_column.name}' has no resource '{name}'.")
        return self._resources[feature_column][name]
