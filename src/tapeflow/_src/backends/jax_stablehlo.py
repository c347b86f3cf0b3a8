"""StableHLO modules, the serialised form of JAX functions: checked, and run through JAX.

Imported only when a graph holds such a module, never by `import tapeflow`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import jax
import numpy as np
from jax import export
from jax.extend import mlir
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import chlo, func, stablehlo

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError

# The calling conventions of `XlaCallModule` in which a module takes the platform's index, if it was
# written for several platforms, and then its arrays.
_VERSIONS = (9, 10)
# Targets that modules may call beside their own functions: these compute, and check their inputs.
_ALLOWED_CALLS = frozenset(
    {
        "shape_assertion",
        "Sharding",
        "SPMDFullToShardShape",
        "SPMDShardToFullShape",
        "stablehlo.dynamic_approx_top_k",
        "stablehlo.dynamic_reduce_window",
        "stablehlo.dynamic_rng_bit_generator",
        "stablehlo.dynamic_top_k",
        "mhlo.topk",
        "mhlo.erf",
    }
)
_LARGEST = 2**36  # elements of one value
_CACHED = 128


class Module:
    """A serialized module, as `XlaCallModule` holds it."""

    def __init__(self, code: bytes, version: int, platforms: tuple[str, ...]) -> None:
        if version not in _VERSIONS:
            raise _invalid(
                f"its calling convention has version {version}, expected one of {_VERSIONS}. Save "
                f"the model again with a newer version of JAX."
            )
        self._code = code
        self._platforms = [platform.lower() for platform in platforms]
        self._by_specs: dict[Any, Any] = {}
        self._jitted = jax.jit(self._called)

    def foreign_calls(self) -> list[str]:
        """Return the external functions of the process that the module calls.

        Raises InvalidArgumentError for a module that cannot be run, or exceeds any memory.
        """
        called: set[str] = set()
        types: list[Any] = []

        def visit(operation: Any) -> Any:
            if operation.name.endswith("custom_call"):
                called.add(ir.StringAttr(operation.attributes["call_target_name"]).value)
            types.extend(result.type for result in operation.results)
            return ir.WalkResult.ADVANCE

        with _context(), ir.Location.unknown():
            module = self._read()
            _main(module)
            module.operation.walk(visit)
            for kind in types:
                _check_size(kind)
        return sorted(called - _ALLOWED_CALLS)

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the results as NumPy arrays, compiled once per shapes."""
        with jax.enable_x64(True):
            return [np.asarray(output) for output in self._jitted(*arrays)]

    def trace(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the results as part of code that JAX is compiling."""
        with jax.enable_x64(True):
            return self._called(*arrays)

    def _called(self, *arrays: Any) -> list[Any]:
        specs = tuple((tuple(array.shape), np.dtype(array.dtype)) for array in arrays)
        exported = self._by_specs.get(specs)
        if exported is None:
            exported = self._by_specs.setdefault(specs, self._for_shapes(specs))
        return list(exported.call(*arrays))

    def _read(self) -> Any:
        try:
            return mlir.deserialize_portable_artifact(self._code)
        except Exception as error:
            raise _invalid(f"it cannot be read. {error}") from error

    def _for_shapes(self, specs: tuple[tuple[tuple[int, ...], np.dtype], ...]) -> Any:
        """Return the module for arguments of these shapes as a JAX callable."""
        with _context(), ir.Location.unknown():
            module = self._read()
            _add_main(module, specs, self._platform_index())
            refined = _refined(module)
            results = _main(refined).type.results
            shapes = [_shape_and_dtype(each) for each in results]
            code = mlir.serialize_portable_artifact(refined, stablehlo.get_current_version())

        def alike(*arrays: Any) -> list[Any]:
            return [jax.numpy.zeros(shape, dtype) for shape, dtype in shapes]

        arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in specs]
        # A function of the same types, identical except for the code.
        frame = export.export(jax.jit(alike, keep_unused=True))(*arguments)
        return replace(frame, mlir_module_serialized=code)

    def _platform_index(self) -> int | None:
        """Return the index of this platform, or None if the module takes none."""
        here = jax.default_backend()
        if self._platforms and here not in self._platforms:
            raise _invalid(
                f"it was written for {', '.join(self._platforms)}, and cannot run on {here}. Save "
                f"the model again for this platform (`native_serialization_platforms`)."
            )
        return self._platforms.index(here) if len(self._platforms) > 1 else None


@lru_cache(maxsize=_CACHED)
def find(code: bytes, version: int, platforms: tuple[str, ...]) -> Module:
    """Return the module of that code, parsed once."""
    return Module(code, version, platforms)


def _context() -> Any:
    context = ir.Context()
    stablehlo.register_dialect(context)
    chlo.register_dialect(context)
    return context


def _main(module: Any) -> Any:
    """Return the entry function of a module."""
    table = ir.SymbolTable(module.operation)
    if "main" not in table:
        raise _invalid("it has no function `main`.")
    return table["main"]


def _add_main(module: Any, specs: Sequence[Any], platform: int | None) -> None:
    """Add an entry with arguments of these shapes, which calls the previous entry."""
    inner = _main(module)
    expected, results = inner.type.inputs, inner.type.results
    arrays = expected if platform is None else expected[1:]
    _check_arguments(specs, arrays)
    inner.attributes["sym_visibility"] = ir.StringAttr.get("private")
    ir.SymbolTable(module.operation).set_symbol_name(inner, "called_main")
    types = [
        ir.RankedTensorType.get(shape, ir.RankedTensorType(each).element_type)
        for (shape, _), each in zip(specs, arrays, strict=True)
    ]
    with ir.InsertionPoint(module.body):
        entry = func.FuncOp("main", ir.FunctionType.get(types, results))
    entry.attributes["sym_visibility"] = ir.StringAttr.get("public")
    block = entry.add_entry_block()
    with ir.InsertionPoint(block):
        arguments = [
            value if value.type == each else stablehlo.convert(each, value)
            for value, each in zip(block.arguments, arrays, strict=True)
        ]
        if platform is not None:
            # 64 bits wide if JAX had them when the module was written.
            value = ir.DenseElementsAttr.get(np.asarray(platform, _shape_and_dtype(expected[0])[1]))
            arguments.insert(0, stablehlo.constant(value))
        name = ir.FlatSymbolRefAttr.get("called_main")
        func.ReturnOp(list(func.CallOp(results, name, arguments).results))


def _check_arguments(specs: Sequence[Any], expected: Sequence[Any]) -> None:
    received = [f"{np.dtype(dtype).name}{list(shape)}" for shape, dtype in specs]
    fits = len(specs) == len(expected) and all(
        _fits(spec, each) for spec, each in zip(specs, expected, strict=True)
    )
    if not fits:
        raise _invalid(
            f"expected arguments of the types {', '.join(map(str, expected))}, received "
            f"{', '.join(received)}."
        )


def _fits(spec: tuple[tuple[int, ...], np.dtype], expected: Any) -> bool:
    shape, dtype = spec
    sizes, expected_dtype = _shape_and_dtype(expected)
    return (
        len(shape) == len(sizes)
        and dtype == expected_dtype
        and all(
            size in (None, expected_size) for size, expected_size in zip(sizes, shape, strict=True)
        )
    )


def _refined(module: Any) -> Any:
    """Return the module with shapes refined from those of the entry's arguments."""
    code = io.BytesIO()
    module.operation.write_bytecode(code)
    try:
        refined = mlir.refine_polymorphic_shapes(
            code.getvalue(), enable_shape_assertions=True, validate_static_shapes=True
        )
        return ir.Module.parse(refined)
    except Exception as error:
        raise _invalid(f"it does not fit the shapes of its arguments. {error}") from error


# The types of MLIR by their names.
_NAMES = {
    "i1": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (4, 8, 16, 32, 64)},
    **{"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"},
    **{"complex<f32>": "complex64", "complex<f64>": "complex128"},
    **{"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"},
}


def _shape_and_dtype(kind: Any) -> tuple[list[int | None], np.dtype]:
    """Return the sizes of a type, None where they are dynamic, and its dtype."""
    name = None
    if isinstance(kind, ir.RankedTensorType):
        name = _NAMES.get(str(kind.element_type))
    if name is None:
        raise _invalid(f"{kind} is no type that a tensor can have.")
    sizes = [None if kind.is_dynamic_dim(axis) else size for axis, size in enumerate(kind.shape)]
    return sizes, np.dtype(as_dtype(name).as_numpy_dtype)


def _check_size(kind: Any) -> None:
    if not isinstance(kind, ir.RankedTensorType):
        return
    sizes = (size for axis, size in enumerate(kind.shape) if not kind.is_dynamic_dim(axis))
    if prod(sizes) > _LARGEST:
        raise _invalid(f"a value of the type {kind} is larger than {_LARGEST} elements.")


def _invalid(problem: str) -> InvalidArgumentError:
    text = f"XlaCallModule: a StableHLO module is refused: {problem}"
    return InvalidArgumentError(None, None, text)
