"""Layers of a SavedModel whose classes the program does not have: they run what was saved of them.

A layer of an unknown class has no code here, but the graphs that were traced when it was saved, and
its variables. It can be called, trained and saved again with them; its config is the saved one.
"""

from __future__ import annotations

import inspect
from typing import Any

from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.models.model import Model

_FUNCTIONS = ("call_and_return_conditional_losses", "call_and_return_all_conditional_losses")


class _Revived:
    """Base class of layers and models that run saved functions."""

    name: str

    def _take(self, saved: Any, metadata: dict[str, Any]) -> None:
        # The saved object itself is no part of the layer: its variables are.
        object.__setattr__(self, "_saved", saved)
        object.__setattr__(self, "_saved_config", metadata.get("config"))
        self._saved_variables = list(getattr(saved, "variables", ()))
        self.built = True

    def _run_saved(self, inputs: Any, training: Any) -> Any:
        """Run the saved function."""
        function, with_losses = self._function()
        names = inspect.signature(function.python_function).parameters
        kwargs = {"training": bool(training)} if "training" in names else {}
        outputs = function(inputs, **kwargs)
        if not with_losses:
            return outputs
        outputs, losses = outputs
        for loss in losses:
            self.add_loss(loss)  # type: ignore[attr-defined]
        return outputs

    def _function(self) -> tuple[Any, bool]:
        """The function that was saved, and whether it returns losses, too."""
        saved = self.__dict__["_saved"]
        for holder in (getattr(saved, "keras_api", None), saved):
            for name in _FUNCTIONS:
                function = getattr(holder, name, None)
                if function is not None and function.concrete_functions:
                    return function, True
        function = vars(saved).get("__call__")
        if function is None:
            raise ValueError(
                f"The class {type(self).__name__} of '{self.name}' is not known, and its calls "
                f"were not saved: pass the class as `custom_objects`, or register it."
            )
        return function, False

    def get_config(self) -> dict[str, Any]:
        """The config that was saved."""
        config = self.__dict__["_saved_config"]
        if config is None:
            raise NotImplementedError(
                f"{type(self).__name__} was saved without a config: define `get_config()`."
            )
        return dict(config)


class RevivedLayer(_Revived, Layer):
    """A layer of a class that is not known."""

    # The saved objects and their metadata, by the name of the layer.
    _known: dict[str, tuple[Any, dict[str, Any]]] = {}

    def __init__(self, saved: Any, metadata: dict[str, Any]) -> None:
        super().__init__(name=metadata.get("name"), trainable=metadata.get("trainable", True))
        self._take(saved, metadata)

    def call(self, inputs: Any, training: Any = None) -> Any:
        return self._run_saved(inputs, training)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The layer of that name."""
        name = config.get("name")
        if name not in cls._known:
            raise ValueError(
                f"The class {cls.__name__} is not known, and the layer {name!r} has no functions "
                f"in the SavedModel: pass the class as `custom_objects`, or register it."
            )
        return cls(*cls._known[name])


class RevivedModel(_Revived, Model):
    """A model of a class that is not known."""

    def __init__(self, saved: Any, metadata: dict[str, Any]) -> None:
        super().__init__(name=metadata.get("name"), trainable=metadata.get("trainable", True))
        self._take(saved, metadata)

    def call(self, inputs: Any, training: Any = None) -> Any:
        return self._run_saved(inputs, training)


def revived_class(name: str, known: dict[str, tuple[Any, dict[str, Any]]]) -> Any:
    """A class of that name whose layers run what was saved of them."""
    return type(name, (RevivedLayer,), {"_known": known})


def revived_model(name: str, saved: Any, metadata: dict[str, Any]) -> Any:
    """A model of a class of that name, which runs what was saved of it."""
    return type(name, (RevivedModel,), {})(saved, metadata)
