"""Map over values with an encoder of their own, such as batchable extension types.

Such a value is mapped over in encoded form: a structure of tensors that have the rows. The
arguments and results of the function are decoded and encoded around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.control_flow.rows import as_elements, count_of, signature_of
from tapeflow._src.api.elements import batched, encoder_of, unbatched
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.types import TensorLike


def has_encoding(value: TensorLike) -> bool:
    """Whether a value or a spec has a batch encoder of its own."""
    return encoder_of(_spec_of(value)) is not None


def _spec_of(value: TensorLike) -> Any:
    return getattr(value, "_type_spec", value)


class EncodedMap:
    """A map over the rows of encodings in place of the values.

    Args:
        fn: The function that is mapped.
        elems: The values.
        signature: The spec of the results of `fn`.

    `elems` and `signature` are what is mapped over and what describes the results of `fn`.
    """

    def __init__(self, fn: Callable[[Any], Any], elems: Any, signature: Any) -> None:
        if signature is None:
            signature = nest.map_structure(_signature_of_row, elems)
        self._fn = fn
        self._elems = elems
        self._signature = signature
        self.elems = nest.map_structure(lambda each: _encoded(_spec_of(each), each), elems)
        self.signature = nest.map_structure(_encoding_of, signature)

    def fn(self, row: Any) -> Any:
        """Decode a row, call the function and encode the result."""
        result = self._fn(nest.map_structure_up_to(self._elems, _row_of, self._elems, row))
        nest.assert_same_structure(self._signature, result)
        return nest.map_structure(_encoded_result, self._signature, result)

    def result(self, rows: Any) -> Any:
        """Decode the stacked results."""
        _, count = count_of(nest.flatten(as_elements(self.elems)))
        specs = nest.map_structure(
            lambda kind: batched(kind, count) if has_encoding(kind) else kind, self._signature
        )
        return nest.map_structure_up_to(specs, _decoded, specs, rows)


def _signature_of_row(value: TensorLike) -> Any:
    if has_encoding(value):
        return unbatched(_spec_of(value))
    return signature_of(dispatch.operand(value))


def _row_of(value: TensorLike, parts: Any) -> Any:
    return _decoded(unbatched(_spec_of(value)), parts) if has_encoding(value) else parts


def _encoded_result(kind: Any, value: TensorLike) -> Any:
    if has_encoding(kind) and not isinstance(value, kind.value_type):
        raise ValueError(
            f"map_fn expected `fn` to return {kind}, received {_spec_of(value)}: pass its spec as "
            "`fn_output_signature`."
        )
    return _encoded(kind, value)


# -- by the encoder of a spec; a spec without one describes what stands for itself ---------------


def _encoded(spec: Any, value: TensorLike) -> Any:
    encoder = encoder_of(spec)
    if encoder is None:
        return value
    specs = encoder.encoding_specs(spec)
    return nest.map_structure_up_to(specs, _encoded, specs, encoder.encode(spec, value))


def _encoding_of(spec: Any) -> Any:
    encoder = encoder_of(spec)
    if encoder is None:
        return spec
    return nest.map_structure(_encoding_of, encoder.encoding_specs(spec))


def _decoded(spec: Any, parts: Any) -> Any:
    encoder = encoder_of(spec)
    if encoder is None:
        return parts
    specs = encoder.encoding_specs(spec)
    return encoder.decode(spec, nest.map_structure_up_to(specs, _decoded, specs, parts))
