"""`Graph`: operations in program order, and `FuncGraph`: one with inputs, outputs and captures.

Program order is the order of effects: executors and passes preserve it among operations with
effects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any
from weakref import ref

from tapeflow._src.core import dispatch, random_state
from tapeflow._src.core.dtypes import FLOATING_COMPLEX, FROM_NUMPY, DType
from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import Op
from tapeflow._src.core.source import Location, user_location
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.graph.elements import Elements
from tapeflow._src.graph.mode import CONSTANT_SIZE, TracingMode
from tapeflow._src.graph.names import Names
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.settings import Settings
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.graph.variable_reads import Reads
from tapeflow._src.ops.graph.nodes import const, placeholder

_node_imports = LazyModule("tapeflow._src.graph.node_imports")
_notebook = LazyModule("tapeflow._src.graph.notebook")
_serialize = LazyModule("tapeflow._src.graph.serialize")


class Graph(Elements, Settings):
    """A computation as data: operations, and the tensors that flow between them.

    Example:
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     total = tf.constant(1, name="one") + tf.constant(2)
        >>> [operation.name for operation in graph.get_operations()]
        ['one', 'Const', 'add']
    """

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Operation] = []
        self.names = Names()
        self.reads = Reads(self.names)
        self.seeds = random_state.GraphSeeds(None)
        self.finalized = False
        self._by_name: dict[str, Operation] = {}
        self._control: list[tuple[Operation, ...]] = []
        self._constants: dict[int, tuple[Any, SymbolicTensor]] = {}
        self._literals: dict[int, Any] = {}
        self._collections: dict[Any, list[Any]] = {}
        # Further functions of its GraphDef beside those that its operations call: messages, by
        # name.
        self.functions: dict[str, Any] = {}
        # Functions that implement an API, by its name and their device (see `implementations`).
        self.implementations: dict[str, dict[str, Any]] = {}
        # Whether its GraphDef has branches and loops as `Switch` and `Merge`, without functions.
        self.lowers_control_flow = False
        # Outputs of imported calls, by the names of the calls, whose functions were inlined.
        self.calls: dict[str, tuple[SymbolicTensor, ...]] = {}

    def _repr_html_(self) -> str:
        html: str = _notebook.graph_html(self)
        return html

    # -- building ----------------------------------------------------------------------------

    def add(
        self,
        op: Op,
        operands: tuple[Any, ...],
        attrs: dict[str, Any],
        specs: Iterable[Any],
        name: str | None = None,
        source: Location | None = None,
    ) -> Operation:
        """Append a call of `op` with outputs of these specs.

        Args:
            op: The op.
            operands: Its inputs.
            attrs: Its attributes.
            specs: The specs of its outputs.
            source: The user's line.
        """
        if self.finalized:
            raise RuntimeError("The graph is finalized: no operations can be added.")
        state = dispatch.state
        if name is None:
            name = op.display_name
        node = Operation(
            self,
            op,
            operands,
            attrs,
            name[:-1] if name.endswith("/") else self.names.unique(state.name_scope + name),
            control_inputs=self._control[-1] if self._control else (),
            source=source or user_location(),
            device=state.device,
        )
        node.outputs = tuple(
            [SymbolicTensor(node, i, s.shape, s.dtype, s.value) for i, s in enumerate(specs)]
        )
        if self._blocks is not None:
            self._blocks.apply(node)
        self.nodes.append(node)
        return node

    def create_op(
        self,
        op_type: str,
        inputs: Any,
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Append a call of the op of that name; `attrs` are AttrValue messages.

        Attributes that follow from the inputs may be left out.

        Args:
            op_type: The name of the op.
            inputs: Tensors of this graph.
            dtypes: Accepted: the dtypes of outputs are inferred.
            input_types: Accepted for compatibility.
            attrs: AttrValue messages by name.
            op_def: Accepted for compatibility.
            compute_shapes: Accepted for compatibility.
            compute_device: Accepted for compatibility.

        Returns:
            The operation.
        """
        operands = list(inputs)
        for index, tensor in enumerate(operands):
            if not isinstance(tensor, SymbolicTensor):
                raise TypeError(f"Input #{index} is not a tensor: {tensor}")
        state = dispatch.state
        device, being_built = state.device, state.mode.graph is self
        state.device = device if being_built else self._writable_blocks().device
        try:
            with dispatch.use_mode(TracingMode(self)):
                return _node_imports.called(self, op_type, operands, name or op_type, attrs or {})
        finally:
            state.device = device

    def constant(self, value: Any, dtype: DType, name: str | None = None) -> SymbolicTensor:
        """Add a constant operation with a NumPy value.

        Args:
            value: A NumPy array.
            dtype: The dtype.
        """
        attrs = {"value": value, "dtype": dtype}
        node = self.add(const, (), attrs, const.infer_outputs((), attrs), name)
        return node.outputs[0]

    def literal(self, tensor: Any) -> Any:
        """Return `tensor`, a Python value: it becomes a constant, however large, when used.

        Args:
            tensor: The tensor.
        """
        self._literals[id(tensor)] = tensor
        return tensor

    def placeholder(
        self, dtype: DType, dims: tuple[int | None, ...] | None, name: str | None = None
    ) -> SymbolicTensor:
        """Add an operation that stands for a value that is fed.

        Args:
            dtype: The dtype.
            dims: The shape, None for unknown sizes.
        """
        attrs = {"dtype": dtype, "shape": dims}
        node = self.add(placeholder, (), attrs, placeholder.infer_outputs((), attrs), name)
        return node.outputs[0]

    def adopt(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return `tensor` as a tensor of this graph: itself, or a constant for one with a value.

        Args:
            tensor: The tensor.
        """
        if isinstance(tensor, SymbolicTensor):
            if tensor.op.graph is not self:
                # The gradient function of a function that is called here may refer to its tensors.
                return self.adopt(tensor._portable(), name)
            return tensor._origin
        return self._embedded(tensor, name)

    def _embedded(self, tensor: Any, name: str | None) -> SymbolicTensor:
        """Embed a tensor with a value as a constant of this graph, cached per tensor."""
        cached = self._constants.get(id(tensor))
        if cached is None:
            dtype = FROM_NUMPY[tensor.static_value.dtype]
            cached = (tensor, self.constant(tensor.static_value, dtype, name))
            self._constants[id(tensor)] = cached
        return cached[1]

    def value_now(self, tensor: Any) -> Any:
        """Compute the value of a tensor at once: it initialises a new variable.

        Args:
            tensor: The tensor.
        """
        raise ValueError(
            f"The initial value of a variable is {tensor!r}, which has no value before the graph "
            f"runs. Pass a Python or NumPy value, or a function that makes it."
        )

    def creating_variable(self) -> None:
        """Handle the creation of a variable while this graph is built."""

    # -- lookup ------------------------------------------------------------------------------

    @property
    def building_function(self) -> bool:
        return False

    @property
    def _graph_key(self) -> str:
        """A name that is unique among the live graphs of the process."""
        return f"graph-key-{id(self)}"

    @property
    def version(self) -> int:
        return len(self.nodes)

    @property
    def seed(self) -> Any:
        return self.seeds.seed

    @seed.setter
    def seed(self, value: Any) -> None:
        self.seeds.seed = value

    def get_operations(self) -> list[Operation]:
        """Return the operations, in program order."""
        return list(self.nodes)

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        use_pybind11_proto: bool = False,
    ) -> Any:
        """Return the graph as a GraphDef message, with the functions that its operations call.

        Args:
            from_version: How many of the first operations to skip.
            add_shapes: Whether to add the shapes of outputs.
            use_pybind11_proto: Accepted for compatibility.

        Example:
            >>> len(tf.Graph().as_graph_def().node)
            0
        """
        return _serialize.graph_def(self, from_version, add_shapes)

    def _displayed_graph_def(self) -> Any:
        """Return a GraphDef to look at, which may have ops that TensorFlow does not have."""
        return _serialize.graph_def(self, displayed=True)

    def _named(self) -> dict[str, Operation]:
        if len(self._by_name) != len(self.nodes):
            self._by_name = {node.name: node for node in self.nodes}
        return self._by_name

    # -- contexts ----------------------------------------------------------------------------

    @contextmanager
    def as_default(self) -> Iterator[Any]:
        """Add the ops of the block to this graph."""
        state = dispatch.state
        scope, device = state.name_scope, state.device
        state.name_scope = ""
        state.device = "" if self._blocks is None else self._blocks.device
        try:
            with dispatch.use_mode(TracingMode(self)):
                yield self
        finally:
            state.name_scope, state.device = scope, device

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Run the block's operations after `control_inputs`.

        Args:
            control_inputs: Tensors and operations; None removes outer dependencies.
        """
        if control_inputs is None:
            self._control.append(())
        else:
            waited_for = dict.fromkeys(self._control[-1] if self._control else ())
            waited_for.update(
                (node, None) for node in map(self._waited_for, control_inputs) if node
            )
            self._control.append(tuple(waited_for))
        try:
            yield
        finally:
            self._control.pop()

    def _waited_for(self, item: Any) -> Operation | None:
        """Return the operation that computes `item`; None for a tensor that has a value."""
        if isinstance(item, Tensor) and not isinstance(item, SymbolicTensor):
            return None
        node = getattr(item, "op", None)
        element = self.as_graph_element(item if node is None else node)
        return element.op if isinstance(element, SymbolicTensor) else element

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return a name that no operation has yet.

        Args:
            mark_as_used: Whether the name counts as taken from now on.

        Example:
            >>> graph = tf.Graph()
            >>> graph.unique_name("x"), graph.unique_name("x")
            ('x', 'x_1')
        """
        return self.names.unique(dispatch.state.name_scope + name, mark_as_used)

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Start the names of the block's operations with `name/`."""
        state = dispatch.state
        outer = state.name_scope
        state.name_scope = self.names.scope(outer, name)
        try:
            yield state.name_scope
        finally:
            state.name_scope = outer

    def get_name_scope(self) -> str:
        """Return the current name scope, without the trailing slash."""
        return dispatch.state.name_scope.rstrip("/")

    def finalize(self) -> None:
        """Refuse changes from now on."""
        self.finalized = True


class _Current(Enum):
    """Stands for the graph that is being traced, if there is one."""

    CURRENT = 1


CURRENT = _Current.CURRENT


class FuncGraph(Graph):
    """The graph of a function: it has inputs and outputs, and captures what it uses from outside.

    A tensor of `outer`, the enclosing graph, or one with a value, becomes an input when it is used:
    a capture. By default, the enclosing graph is the one being traced. `inputs` are the arguments
    followed by the captures. A `part` of another graph, such as a branch, captures through that; a
    function in its own right captures by itself.
    """

    def __init__(
        self, name: str, outer: Graph | _Current | None = CURRENT, part: bool = False
    ) -> None:
        super().__init__()
        if isinstance(outer, _Current):
            outer = getattr(dispatch.state.mode, "graph", None)
        self.name = name
        self.outer = outer
        self.part = part
        # Where the function is used and defined, for errors of its calls.
        self.label = ""
        # Computes a tensor at once, while the function is traced.
        self.evaluate: Callable[[SymbolicTensor], Any] | None = None
        # Called before a variable is created; it may refuse.
        self.on_variable: Callable[[], None] | None = None
        seed = random_state.global_seed() if outer is None else outer.seed
        # Operations, by identity, whose effects are exempt from program order.
        self.unordered: set[int] = set()
        self.seeds = random_state.GraphSeeds(seed)
        self.arguments: list[SymbolicTensor] = []
        self.outputs: list[SymbolicTensor] = []
        self.captures: dict[int, tuple[Any, SymbolicTensor]] = {}
        self.saving_errors: set[str] = set()
        self._weak_variables: dict[int, Any] = {}
        self.structured_input_signature: Any = None
        self.structured_outputs: Any = None
        # Attributes set by the user; the FunctionDef shows them to other tools.
        self.function_attributes: Mapping[str, Any] = {}

    @property
    def building_function(self) -> bool:
        return True

    @property
    def outer_graph(self) -> Graph:
        """The graph in which the function is traced; an empty one if ops run eagerly there."""
        return Graph() if self.outer is None else self.outer

    def _waited_for(self, item: Any) -> Operation | None:
        # Values that exist before the call need no waiting for, nor do effects, which happen in
        # order: assertions in functions return None.
        node = item if isinstance(item, Operation) else getattr(item, "op", None)
        return node if isinstance(node, Operation) and node.graph is self else None

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The placeholders: arguments, then captures."""
        return [*self.arguments, *(inner for _, inner in self.captures.values())]

    @property
    def external_captures(self) -> list[Any]:
        """The external tensors that are captured."""
        return [outer for outer, _ in self.captures.values()]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The placeholders for captures."""
        return [inner for _, inner in self.captures.values()]

    # -- variables ---------------------------------------------------------------------------

    def watch_variable(self, variable: Any) -> None:
        """Record that the function reads `variable`, without keeping it alive."""
        self._weak_variables[id(variable)] = ref(variable)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function reads."""
        alive = tuple([weak() for weak in self._weak_variables.values()])
        if any(variable is None for variable in alive):
            raise AssertionError(
                "A variable that this function uses has been deleted: nothing else refers to it. "
                "Keep variables that are created inside a function alive, for example as "
                "attributes of an object, created at the first call."
            )
        return alive

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def variable_captures(self) -> tuple[Any, ...]:
        """The variables whose handles are captures."""
        captured = {id(outer) for outer in self.external_captures}
        return tuple(v for v in self.variables if id(v.handle) in captured)

    # -- saving ------------------------------------------------------------------------------

    @property
    def saveable(self) -> bool:
        """Whether the function may be saved."""
        return not self.saving_errors

    def mark_as_unsaveable(self, error_message: str) -> None:
        """Mark the function as not saveable, for a reason."""
        self.saving_errors.add(error_message)

    @property
    def output_types(self) -> list[DType]:
        return [t.dtype for t in self.outputs]

    @property
    def output_shapes(self) -> list[Any]:
        return [t.shape for t in self.outputs]

    def __str__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"

    def creating_variable(self) -> None:
        """Ask the tracer of this function whether a variable may be created."""
        if self.on_variable is not None:
            self.on_variable()
        elif self.outer is not None:
            self.outer.creating_variable()

    def value_now(self, tensor: Any) -> Any:
        """Compute the value of a tensor at once: it initialises a new variable."""
        if self.evaluate is None:
            return super().value_now(tensor)
        return self.evaluate(tensor._origin)

    def placeholder(
        self, dtype: DType, dims: tuple[int | None, ...] | None, name: str | None = None
    ) -> SymbolicTensor:
        """Add a placeholder under the requested name."""
        tensor = super().placeholder(dtype, dims, name)
        if name is not None:
            # The operation's own name may be numbered, and is scoped.
            plain = name.rstrip("/").rpartition("/")[2]
            tensor.op.notes = {"_user_specified_name": (plain, "string")}
        return tensor

    def argument(
        self, dtype: DType, dims: tuple[int | None, ...] | None, name: str
    ) -> SymbolicTensor:
        """Add an argument."""
        tensor = self.placeholder(dtype, dims, name)
        self.arguments.append(tensor)
        return tensor

    def adopt(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return `tensor` as a tensor of this graph; external tensors are captured."""
        if isinstance(tensor, SymbolicTensor):
            origin = tensor._origin
            if origin.op.graph is self:
                return origin
            if not self._lies_in(origin.op.graph):
                return self.adopt(origin._portable(), name)
            return self.capture(origin, name)
        if id(tensor) in self._literals:
            return self._embedded(tensor, name)
        if tensor.is_packed:  # it lies on a mesh
            return self.capture(tensor, name)
        value = tensor.static_value
        # A tape outside of a subgraph knows a tensor as the input of the operation that holds it.
        followed = self.part and tensor.dtype in FLOATING_COMPLEX
        if value.dtype in _HANDLES or value.size > CONSTANT_SIZE or followed:
            return self.capture(tensor, name)
        return self._embedded(tensor, name)

    def capture(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return the input that stands for `tensor`, which belongs to no or to an outer graph."""
        cached = self.captures.get(id(tensor))
        if cached is not None:
            return cached[1]
        outer, static = tensor, tensor.static_value
        symbolic = isinstance(tensor, SymbolicTensor)
        if isinstance(self.outer, FuncGraph) and (
            tensor.op.graph is not self.outer if symbolic else self.part
        ):
            outer = self.outer.adopt(tensor)
            cached = self.captures.get(id(outer))
            if cached is not None:
                self.captures[id(tensor)] = cached
                return cached[1]
        inner = self.placeholder(tensor.dtype, tensor.static_shape, name or "capture")
        if static is not None and (static.dtype in _HANDLES or static.size <= CONSTANT_SIZE):
            inner.static_value = static  # type: ignore[misc]
        self.captures[id(outer)] = (outer, inner)
        return inner

    def _lies_in(self, graph: Graph) -> bool:
        """Whether this graph lies, at any depth, inside `graph`."""
        around = self.outer
        while around is not None:
            if around is graph:
                return True
            around = around.outer if isinstance(around, FuncGraph) else None
        return False


_HANDLES = frozenset({resource_dtype, variant_dtype})
