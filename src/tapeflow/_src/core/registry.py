"""`@op`: one declaration per op, and the table of all of them.

The signature of the body is the op's schema. Positional parameters after `xp` are tensors, and
their annotation says what kind; keyword-only parameters are attributes. This file knows how a
call is bound, checked and converted; it knows neither tensors nor executors.
"""

from __future__ import annotations

from collections import namedtuple as make_named_tuple
from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import INDEX, DType, int32, int64
from tapeflow._src.core.dtypes import bool as bool_dtype
from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.gradient_rules import GradientRule, named
from tapeflow._src.core.lazy import load_all
from tapeflow._src.core.locking import locked
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.core.traits import ALL as ALL_TRAITS
from tapeflow._src.core.traits import (
    ARGUMENT,
    CONDITIONAL,
    CONSTANT,
    CREATES_STRINGS,
    ELEMENTWISE,
    FORWARDS,
    LOOP,
    MOVES,
    NOT_ELEMENTWISE,
    PACKS,
    SHAPE_ONLY,
    SWITCH,
    Facts,
)

# Kinds of tensor parameters. They are read from the annotation, by name; for type checkers they
# are all `Any`. No annotation: a tensor of the op's dtype `T`, shared by all such parameters.
Static = Any  # int32/int64 whose value must be known to compile (shapes, axes): a NumPy array
StaticT = Any  # likewise, but of the op's dtype `T`
Index = Any  # int32 or int64, traced like any other value
Bool = Any
Free = Any  # any dtype, independent of `T`
Many = Any  # a list of tensors of dtype `T`
ManyFree = Any  # a list of tensors of any dtypes
ManyIndex = Any  # a list of int32 tensors
Resource = Any  # the handle of a variable
Variant = Any  # a list of tensors

_SINGLE = {"T", "Static", "StaticT", "Index", "Bool", "Free", "Resource", "Variant"}
KINDS = frozenset(_SINGLE | {"Many", "ManyFree", "ManyIndex"})
_SHARES_T = frozenset({"T", "StaticT", "Many"})
_LISTS = frozenset({"Many", "ManyFree", "ManyIndex"})
_STATIC = frozenset({"Static", "StaticT"})


_state = dispatch.state


class InferError(ValueError):
    """A shape rule refused its inputs: InvalidArgumentError when eager, ValueError in a trace.

    `traced` is the message in a trace, if it differs.
    """

    def __init__(self, message: str, traced: str | None = None) -> None:
        super().__init__(message)
        self.traced = message if traced is None else traced


class DtypeError(InferError):
    """A shape rule refused a dtype: TypeError in a trace."""


def cast_hint(first: str, expected: DType, second: str, received: DType) -> str:
    """Suggest how to cast two tensors to one dtype: an integer to the dtype of a float."""
    if "string" in (expected.name, received.name):
        return "Use tf.strings.as_string or tf.strings.to_number to convert between them."
    name, dtype = (second, expected)
    if expected.is_integer and not received.is_integer:
        name, dtype = (first, received)
    hint = f"Tensors are never converted silently: use tf.cast({name}, tf.{dtype.name})."
    if {expected.name, received.name} == {"float32", "float64"}:
        hint += " NumPy arrays are float64 by default: x.astype('float32')."
    return hint


class Undeclared:
    """The gradient of an op that declares none."""

    def __repr__(self) -> str:
        return "UNDECLARED"


UNDECLARED = Undeclared()
# For ops without a gradient in TensorFlow as well: one may be registered.
UNREGISTERED = Undeclared()


class _ManyOutputs(tuple[str, ...]):
    """Marks an op whose outputs are one list."""

    __slots__ = ()


MANY_OUTPUTS = _ManyOutputs(("output",))


class Access(NamedTuple):
    """The accesses of an op beside its inputs and variables: see `Op.accesses`."""

    what: str
    path: str | None
    when: Callable[..., bool] | None
    unless_empty: str | None


class Op:
    """An operation: its name, schema, shape rule, body and gradient."""

    # Whether a session creates the result once and passes it to all runs: a resource.
    owned_by_sessions = False
    # Whether the result is the state of the resource that is its input, which savers write.
    is_resource_state = False

    # Slots for what every call reads, not a dictionary.
    __slots__ = (
        "__dict__",
        "accepted",
        "accepted_pair",
        "alike",
        "arity",
        "broadcasts",
        "checked",
        "checks_shapes",
        "creates_strings",
        "defaults",
        "effect",
        "gradient_rule",
        "has_lists",
        "has_required",
        "run",
        "same_shape",
        "scales",
        "simple",
        "single_output",
        "takes_packed",
    )
    run: Callable[..., Any]

    def __init__(
        self,
        name: str,
        body: Callable[..., Any],
        *,
        infer: Any,
        grad: Any,
        dtypes: frozenset[DType] | None,
        outputs: tuple[str, ...],
        effect: str | None,
        host: str | None,
        checked: bool,
        locks_itself: bool,
        facts: Facts,
    ) -> None:
        self.name = name
        self.__name__ = body.__name__
        self.__doc__ = body.__doc__
        self.body = body
        self._read_schema(effect)
        self.output_names = outputs
        self.outputs_are_list = outputs is MANY_OUTPUTS
        self.single_output = len(outputs) == 1 and not self.outputs_are_list
        self.dtypes = dtypes
        self.infer_rule = infer
        self.broadcasts = getattr(infer, "broadcasts", False)
        self.keeps_shape = getattr(infer, "keeps_shape", False)
        self.effect = effect
        self.host = host
        self.checked = checked
        self._declare(facts)
        self._find_fast_paths()
        self.locks_itself = locks_itself
        self.kernels: dict[str, Callable[..., Any]] = {}
        # Static inputs that compiled code may compute, see `computes`.
        self.computed: frozenset[str] = frozenset()
        self.kernel("numpy")(body)
        # What a call accesses beside its arrays and variables, see `accesses`.
        self.access: Access | None = None
        self.file_form: tuple[str, Callable[..., Any]] | None = None
        # Dtypes, and for checked ops shapes, of calls that passed the checks.
        self.accepted: set[Any] = set()
        self.accepted_pair: dict[Any, Any] = {}
        self.accepted_shapes: set[Any] = set()
        self.gradient_rule: Any = grad
        self._result_type: Any = None

    def _read_schema(self, effect: str | None) -> None:
        """Read the inputs and attributes from the signature of the body."""
        code = self.body.__code__
        self.input_names = code.co_varnames[1 : code.co_argcount]
        self.arity = len(self.input_names)
        self.kinds = tuple(self.body.__annotations__.get(p, "T") for p in self.input_names)
        unknown = set(self.kinds) - KINDS
        if unknown:
            raise TypeError(f"{self.name}: unknown kinds of input {sorted(map(str, unknown))}.")
        self.has_lists = not _LISTS.isdisjoint(self.kinds)
        # Whether the shape rule sees no values of inputs.
        self.checks_shapes = not self.has_lists and _STATIC.isdisjoint(self.kinds)
        # A random op's `counter` comes from the executor, not from the caller.
        keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        self.attr_names = tuple(k for k in keywords if effect != "random" or k != "counter")
        self.defaults: dict[str, Any] = dict(self.body.__kwdefaults__ or {})
        self.attr_set = frozenset(self.attr_names)
        self.has_required = not self.attr_set <= self.defaults.keys()

    def _declare(self, facts: Facts) -> None:
        self.traits = frozenset(facts.traits)
        if not self.traits <= ALL_TRAITS:
            raise TypeError(f"{self.name}: unknown traits {sorted(self.traits - ALL_TRAITS)}.")
        self.is_conditional = CONDITIONAL in self.traits
        self.is_switch = SWITCH in self.traits
        self.is_loop = LOOP in self.traits
        self.is_constant = CONSTANT in self.traits
        self.is_argument = ARGUMENT in self.traits
        self.holds_bodies = self.is_conditional or self.is_switch or self.is_loop
        self.creates_strings = CREATES_STRINGS in self.traits
        # Whether calls with packed strings need no objects: see `kernel`.
        self.takes_packed = not self.traits.isdisjoint({FORWARDS, MOVES, SHAPE_ONLY})
        # The trait that says how its bodies run, or None.
        self.structure = next((t for t in (CONDITIONAL, SWITCH, LOOP) if t in self.traits), None)
        # The default name of operations; ops of our own begin with `_`, which no name may.
        self.display_name = facts.display or self.name.lstrip("_")
        self.graph_inputs = facts.graph_inputs or {}
        self.ragged_scope = facts.ragged_scope
        self.public_name = facts.public_name
        self.batch_rule = facts.batch

    @property
    def is_elementwise(self) -> bool:
        """Whether each element of the result comes from one of each input, repeated where short."""
        if ELEMENTWISE in self.traits or NOT_ELEMENTWISE in self.traits:
            return ELEMENTWISE in self.traits
        return bool(self.broadcasts or (self.keeps_shape and self.arity == 1))

    def _find_fast_paths(self) -> None:
        """Determine what eager mode can skip."""
        # The only check is that two inputs have one shape.
        asks_for_one_shape = getattr(self.infer_rule, "same_shape", False)
        self.same_shape = self.checked and self.arity == 2 and asks_for_one_shape
        # A call needs nothing but running the body.
        self.simple = (
            (self.single_output or not self.output_names)
            and not self.has_lists
            and (not self.checked or self.same_shape)
            and self.effect != "random"
            and self.arity in (1, 2)
            and PACKS not in self.traits
        )
        # A Python number beside a tensor can only be one of the tensor's dtype.
        self.alike = all(kind == "T" for kind in self.kinds)
        # Calls with large operands may run in other ways than by the NumPy kernel.
        self.scales = (
            self.effect is None
            and self.host is None
            and not self.holds_bodies
            and self.arity > 0
            and not {"Resource", "Variant"} & set(self.kinds)
        )

    # -- declaring ---------------------------------------------------------------------------

    def gradient(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Declare the gradient: `fn(*output gradients, *, what it needs) -> input gradients`."""
        self.gradient_rule = GradientRule(self, named(fn, f"{self.__name__}_gradient"))
        return fn

    def infer(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Declare the shape rule: `fn(*input specs, **attributes) -> Spec or tuple of Spec`."""
        named(fn, f"{self.__name__}_infer")
        self.infer_rule = lambda op, specs, attrs: fn(*specs, **attrs)
        return fn

    def kernel(self, backend: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Override the body on one backend, where the generic one is slow or impossible.

        The kernel for "packed" runs instead of that for "numpy" where operands are packed strings;
        NotImplemented leaves a call to the latter.
        """

        def declare(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.kernels[backend] = named(fn, f"{self.__name__}_{backend}")
            if backend == "numpy":
                # Stored twice: a lookup in `kernels` takes as long as a small kernel.
                self.run = self.kernels[backend] = self._guarded(fn)
            elif backend == "packed":
                self.takes_packed = True
            return fn

        return declare

    def _guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a NumPy kernel that changes variables in their locks; return others unchanged."""
        count = self.kinds.count("Resource")
        if self.effect != "writes" or self.locks_itself or not count:
            return kernel
        if "Resource" in self.kinds[count:]:
            raise TypeError(f"{self.name}: the handles must come before the other inputs.")
        return locked(kernel, count)

    def computes(self, *names: str) -> None:
        """Declare that the body can do without the values of these `Static` inputs in compiled
        code.

        It receives tracers where they are unknown, and raises if it needs them after all.
        """
        self.computed = frozenset(names)

    def accesses(
        self,
        what: str,
        *,
        path: str | None = None,
        when: Callable[..., bool] | None = None,
        unless_empty: str | None = None,
    ) -> None:
        """Declare that a call accesses "files", "python" or other "native" functions of the
        process.

        Imported graphs may not hold such ops unless the caller allows it (`graph.safe_mode`). path:
        the input that names the file, for ops that only read it: the assets of a model are allowed.
        when: whether a call with given attributes accesses anything at all. unless_empty: the input
        that names a file; with an empty constant there is none.
        """
        self.access = Access(what, path, when, unless_empty)

    def written_as(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare the op that files hold for calls of this one, which TensorFlow does not have.

        The function maps the specs of inputs and outputs and the attributes to those of that op.
        """

        def declare(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.file_form = (name, named(fn, f"{self.__name__}_written_as"))
            return fn

        return declare

    def batch(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Declare how the op runs for a batch of inputs at once (see `gradients.vectorize`)."""
        self.batch_rule = named(fn, f"{self.__name__}_batch")
        return fn

    # -- calling -----------------------------------------------------------------------------

    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        name = attrs.pop("name", None) if attrs else None
        if len(inputs) != self.arity:
            inputs, attrs = self._bind(inputs, attrs)
        if attrs or self.has_required:
            if attrs.keys() != self.attr_set:
                attrs = self._complete(attrs)
        elif self.attr_names:
            attrs = self.defaults.copy()
        try:
            return _state.mode.execute(self, inputs, attrs, name)
        except Exception as error:
            fold(error)
            raise

    def _bind(
        self, inputs: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Move inputs passed by keyword to their positions."""
        if len(inputs) > len(self.input_names):
            raise TypeError(
                f"{self.name} takes {len(self.input_names)} tensors "
                f"({', '.join(self.input_names)}), got {len(inputs)}; attributes go by keyword."
            )
        bound = list(inputs)
        for parameter in self.input_names[len(inputs) :]:
            if parameter not in keywords:
                raise TypeError(
                    f"{self.__name__}() missing 1 required positional argument: {parameter!r}"
                )
            bound.append(keywords.pop(parameter))
        return tuple(bound), keywords

    def _complete(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return `attrs` with defaults filled in; raise for a missing or unknown one."""
        complete = {**self.defaults, **attrs}
        if complete.keys() != self.attr_set:
            for unknown in complete:
                if unknown in self.input_names:
                    raise TypeError(f"{self.__name__}() got multiple values for {unknown!r}.")
                if unknown not in self.attr_names:
                    raise TypeError(
                        f"{self.__name__}() got an unexpected keyword argument {unknown!r}"
                    )
            missing = [a for a in self.attr_names if a not in complete]
            raise TypeError(f"{self.__name__}() missing required attributes: {missing}")
        return complete

    def convert_inputs(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Convert every input to a tensor; Python values take the dtype of the other inputs.

        Without a tensor among them, that of the first. TypeError for a value that does not fit.
        """
        hint = self._dtype_of_first_tensor(inputs)
        convert = dispatch.converter()
        converted: list[Any] = []
        for value, kind in zip(inputs, self.kinds, strict=True):
            if kind in _LISTS:
                item_hint = hint if kind == "Many" else int32 if kind == "ManyIndex" else None
                tensors = tuple(convert(v, None, item_hint, None) for v in _as_list(self, value))
                if kind == "Many" and tensors and hint is None:
                    hint = tensors[0].dtype
                converted.append(tensors)
            elif kind in _SHARES_T:
                if hint is not None and not hasattr(value, "dtype"):
                    tensor = convert(value, hint, None, None)
                else:
                    tensor = convert(value, None, hint, None)
                if hint is None:
                    hint = tensor.dtype
                converted.append(tensor)
            elif kind == "Bool" and not hasattr(value, "dtype"):
                converted.append(convert(value, bool_dtype, None, None))
            else:
                # A value with a dtype keeps it: an int64 index would not survive int32.
                preferred = None if hasattr(value, "dtype") else _PREFERRED.get(kind)
                converted.append(convert(value, None, preferred, None))
        return tuple(converted)

    def _dtype_of_first_tensor(self, inputs: tuple[Any, ...]) -> DType | None:
        for value, kind in zip(inputs, self.kinds, strict=True):
            if kind in _SHARES_T:
                for item in value if kind == "Many" and type(value) in (list, tuple) else (value,):
                    dtype = getattr(item, "dtype", None)
                    if type(dtype) is DType:
                        return dtype
        return None

    def check_dtypes(self, dtypes: tuple[Any, ...]) -> None:
        """Raise InvalidArgumentError unless the op takes inputs of these dtypes.

        `dtypes` has one entry per input, a tuple of them where the input is a list.
        """
        shared: DType | None = None
        first = ""
        for name, kind, received in zip(self.input_names, self.kinds, dtypes, strict=True):
            for index, dtype in enumerate(received if kind in _LISTS else (received,)):
                if kind in _SHARES_T:
                    if shared is None:
                        shared, first = dtype, f"{name}[0]" if kind in _LISTS else name
                        self._check_allowed(dtype)
                    elif dtype is not shared:
                        label = f"{name}[{index}]" if kind in _LISTS else name
                        raise InvalidArgumentError(
                            None,
                            None,
                            f"cannot compute {self.name}: {first} is {shared.name}, {label} is "
                            f"{dtype.name}, expected the same dtype. "
                            f"{cast_hint(first, shared, label, dtype)} [Op:{self.name}]",
                        )
                else:
                    allowed = _ALLOWED.get(kind)
                    if allowed is not None and dtype not in allowed:
                        raise InvalidArgumentError(
                            None,
                            None,
                            f"{self.name}: input {name!r} must be one of "
                            f"{', '.join(sorted(d.name for d in allowed))}, but is {dtype.name} "
                            f"[Op:{self.name}]",
                        )

    def _check_allowed(self, dtype: DType) -> None:
        if self.dtypes is not None and dtype not in self.dtypes:
            if len(self.dtypes) == 1:
                (only,) = self.dtypes
                raise InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {self.name}: expected {only.name} inputs, received "
                    f"{dtype.name} [Op:{self.name}]",
                )
            allowed = ", ".join(sorted(d.name for d in self.dtypes))
            raise InvalidArgumentError(
                None,
                None,
                f"{self.name} does not support dtype {dtype.name}; allowed values: {allowed} "
                f"[Op:{self.name}]",
            )

    # -- queries -----------------------------------------------------------------------------

    def infer_outputs(self, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, ...]:
        """Infer the specs of the outputs, or raise InferError."""
        result = self.infer_rule(self, specs, attrs)
        return (result,) if isinstance(result, Spec) else tuple(result)

    @property
    def result_type(self) -> Any:
        """The named tuple that `raw_ops` returns for several outputs."""
        if self._result_type is None:
            kind: Any = make_named_tuple(self.name, self.output_names)  # type: ignore[misc]
            self._result_type = kind
        return self._result_type

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join((*self.input_names, *self.attr_names))})>"


_PREFERRED = {"Static": int32, "Index": int32, "Bool": bool_dtype}
_ALLOWED: dict[str, frozenset[DType]] = {
    "Static": INDEX,
    "Index": INDEX,
    "ManyIndex": frozenset({int32, int64}),
    "Bool": frozenset({bool_dtype}),
    "Resource": frozenset({resource_dtype}),
    "Variant": frozenset({variant_dtype}),
}


def _as_list(op: Op, value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    raise TypeError(f"{op.name} takes a list of tensors, got {type(value).__name__}.")


# The ops declared so far, by the modules that were imported.
OPS: dict[str, Op] = {}
# Packages that declare ops, imported completely when an op is looked up by name.
PACKAGES: list[str] = []


def every() -> dict[str, Op]:
    """Return all ops, by name."""
    while PACKAGES:
        load_all(PACKAGES.pop())
    return OPS


def find(name: str) -> Op | None:
    """Return the op of a name, or None."""
    return OPS.get(name) or every().get(name)


def op(
    name: str,
    *,
    infer: Any = None,
    grad: Any = UNDECLARED,
    dtypes: frozenset[DType] | None = None,
    outputs: tuple[str, ...] = ("output",),
    effect: str | None = None,
    host: str | None = None,
    checked: bool = False,
    locks_itself: bool = False,
    traits: tuple[str, ...] = (),
    display: str | None = None,
    graph_inputs: dict[str, str] | None = None,
    ragged_scope: str | None = None,
    public_name: str | None = None,
    batch: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Op]:
    """Declare an op under TF's name for it.

    infer: a shape rule of `core.infer`; or declare it with `@the_op.infer`.
    grad: None if the op is not differentiable; else declare it with `@the_op.gradient`.
    dtypes: what the op's dtype `T` may be. outputs: names, if several; MANY_OUTPUTS for a list.
    effect: "reads", "writes", "random" or "io". host: why XLA cannot run it, if so.
    checked: eager runs the shape rule before the body, because NumPy would accept or misread
        wrong shapes.
    locks_itself: the NumPy kernel takes the lock of the variable that it changes. For others with
        the effect "writes" that is done around the kernel, which takes longer.
    traits: facts of `core.traits` that other parts may rely on.
    display: what operations are called by default, if not after the op.
    graph_inputs: what TensorFlow's graphs call inputs that its functions, and ours, call otherwise.
    ragged_scope: the scope of what is computed for ragged inputs.
    public_name: what the public function names its operations, if not after the op.
    batch: a batch rule of `core.batching`; or declare it with `@the_op.batch`.
    """

    def declare(body: Callable[..., Any]) -> Op:
        if name in OPS:
            raise ValueError(f"The op {name} is declared twice.")
        OPS[name] = Op(
            name,
            body,
            infer=infer,
            grad=grad,
            dtypes=dtypes,
            outputs=outputs,
            effect=effect,
            host=host,
            checked=checked,
            locks_itself=locks_itself,
            facts=Facts(traits, display, graph_inputs, ragged_scope, public_name, batch),
        )
        return OPS[name]

    return declare
