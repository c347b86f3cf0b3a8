"""Low-rank adapters (LoRA): a frozen weight plus the product of two small trained matrices."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer_quantization import path_scope
from tapeflow.keras import initializers


class LowRankAdapter:
    """Mixin of layers with `enable_lora`.

    `_adapted` is the name of the weight, which is kept as an attribute with an underscore before
    it.
    """

    _adapted = "kernel"
    lora_rank: int | None = None
    lora_alpha: float | None = None
    lora_enabled = False

    def _set_lora(self, rank: int | None, alpha: float | None) -> None:
        self.lora_rank = rank
        self.lora_alpha = rank if alpha is None else alpha

    def _full_shape(self: Any) -> tuple[int, ...]:
        """The shape of the weight, however it is stored."""
        return tuple(getattr(self, f"_{self._adapted}").shape)

    def enable_lora(
        self: Any,
        rank: int,
        lora_alpha: float | None = None,
        a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
    ) -> None:
        """Freeze the weight and train a low-rank update of it.

        Args:
            rank: The rank of the update.
            lora_alpha: The update is multiplied by `lora_alpha / rank`; `rank` if it is None.
            a_initializer: The initializer of the first matrix.
            b_initializer: The initializer of the second matrix.
        """
        name = self._adapted
        if getattr(self, f"{name}_constraint", None):
            raise ValueError(
                f"Layer '{self.name}' has a `{name}_constraint`, which cannot hold for the sum of "
                f"the weight and its low-rank update. Create it without the constraint."
            )
        if not self.built:
            raise ValueError(
                f"Layer '{self.name}' needs to be built before `enable_lora`: call it on data."
            )
        if self.lora_enabled:
            raise ValueError(f"Layer '{self.name}' has low-rank adapters already.")
        shape = self._full_shape()
        with path_scope(self):
            for letter, dims, initializer in (
                ("a", (*shape[:-1], rank), a_initializer),
                ("b", (rank, shape[-1]), b_initializer),
            ):
                # In float32, for small updates of large weights.
                weight = self.add_weight(
                    name=f"lora_{name}_{letter}",
                    shape=dims,
                    initializer=initializers.get(initializer),
                    dtype="float32",
                    regularizer=getattr(self, f"{name}_regularizer"),
                )
                setattr(self, f"lora_{name}_{letter}", weight)
        getattr(self, f"_{name}").trainable = False
        self.lora_enabled = True
        self.lora_rank = rank
        self.lora_alpha = rank if lora_alpha is None else lora_alpha

    def _lora_pair(self: Any) -> tuple[Any, Any]:
        """The two matrices, the second with the factor of the update."""
        name = self._adapted
        a, b = (getattr(self, f"lora_{name}_{letter}").value() for letter in "ab")
        factor = (self.lora_alpha or 0) / (self.lora_rank or 1)
        return a, b * tf.cast(factor, b.dtype)

    def _with_lora(self: Any, weight: Any) -> Any:
        """A weight plus its update, in the compute dtype."""
        a, b = self._lora_pair()
        update = tf.tensordot(a, b, 1)
        return tf.cast(tf.cast(weight, update.dtype) + update, self.compute_dtype)

    def _lora_config(self) -> dict[str, Any]:
        if not self.lora_rank:
            return {}
        return {"lora_rank": self.lora_rank, "lora_alpha": self.lora_alpha}

    # -- files -------------------------------------------------------------------------------

    @property
    def variable_serialization_spec(self) -> dict[str | None, list[str]]:
        """The names of the variables in the order of files, by the mode of quantization."""
        return {None: [self._adapted, "bias"]}

    def _merged_values(self: Any) -> dict[str, Any]:
        """The values of variables that a low-rank update changes: files have it merged."""
        weight = getattr(self, f"_{self._adapted}")
        value = self._with_lora(weight.value()) if self.lora_enabled else weight
        return {self._adapted: value}

    def _saved_names(self: Any) -> list[str]:
        mode = getattr(self, "quantization_mode", None)
        spec = self.variable_serialization_spec
        if mode not in spec:
            raise ValueError(f"Layer '{self.name}' cannot be saved with the mode {mode!r}.")
        held = [name for name in spec[mode] if name != self._adapted]
        held = [name for name in held if getattr(self, name, None) is not None]
        return [name for name in spec[mode] if name == self._adapted or name in held]

    def _tpf_has_plain_variables(self: Any) -> bool:
        # The layers of this library load plain variables as long as nothing is quantized.
        own = type(self).load_own_variables.__module__.startswith("tapeflow.")
        return own and not self.lora_enabled and self.quantization_mode is None

    def save_own_variables(self: Any, store: Any) -> None:
        """Put the variables into `store`, with the low-rank update merged into the weight."""
        if self._tpf_has_plain_variables():
            super().save_own_variables(store)  # type: ignore[misc]
            return
        if not self.built:
            return
        merged = self._merged_values()
        for number, name in enumerate(self._saved_names()):
            value = merged.get(name)
            store[str(number)] = (getattr(self, name) if value is None else value).numpy()

    def load_own_variables(self: Any, store: Any) -> None:
        """Assign the variables that `save_own_variables` has put into `store`."""
        if self._tpf_has_plain_variables():
            super().load_own_variables(store)  # type: ignore[misc]
            return
        if not self.built:
            return
        names = self._saved_names()
        if len(store.keys()) != len(names):
            raise ValueError(
                f"Layer '{self.name}' expected {len(names)} variables, {names}. The file has "
                f"{len(store.keys())} for it."
            )
        for number, name in enumerate(names):
            variable = getattr(self, f"_{name}" if name == self._adapted else name)
            variable.assign(store[str(number)])
        if self.lora_enabled:
            for letter in "ab":
                weight = getattr(self, f"lora_{self._adapted}_{letter}")
                weight.assign(tf.zeros(weight.shape))
