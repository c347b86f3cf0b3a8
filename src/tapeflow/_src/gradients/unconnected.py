"""Explain why a gradient is None, and warn once per line of the user's code that gets one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any
from weakref import ref

from tapeflow._src.core.call_sites import CallSite
from tapeflow._src.core.log import warn_first
from tapeflow._src.core.source import Location
from tapeflow._src.core.tensor import acts_as_variable, handle_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients import causes
from tapeflow._src.gradients.backprop import Unpulled
from tapeflow._src.gradients.endings import ASSIGNMENT, PYTHON, Ending
from tapeflow._src.gradients.endpoints import source_token
from tapeflow._src.gradients.explanation import GradientExplanation, Step
from tapeflow._src.gradients.graph_paths import GraphStep, find_path, innermost
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import Token, token_of
from tapeflow._src.graph.tensor import SymbolicTensor

# The last one, for those who receive the gradients without the tape: optimizers.
_latest: list[Any] = []
_FORWARDING = frozenset({"ReadVariableOp", "Identity"})


class Unconnected:
    """The state of a tape that explains missing gradients, saved before its records are dropped."""

    __slots__ = (
        "__weakref__",
        "_accessed",
        "_endings",
        "_followed",
        "_has_path",
        "_ledger",
        "_targets",
        "_unpulled",
        "missing",
    )

    def __init__(
        self,
        ledger: Ledger,
        targets: Sequence[Any],
        missing: set[Token],
        unpulled: list[Unpulled],
    ) -> None:
        self.missing = missing
        self._ledger = ledger
        self._accessed = ledger.watch_accessed
        self._targets = list(targets)
        self._unpulled = unpulled
        self._followed = {token for token in missing if ledger.follows(token)}
        self._has_path = any(ledger.follows(target._id) for target in targets)
        self._endings = ledger.endings
        _latest[:] = [ref(self)]

    def warn(
        self, sources: Sequence[Any], tokens: Sequence[Token], gradients: Sequence[Any]
    ) -> None:
        """Warn why these gradients are None, unless a dtype warning has said so."""
        site = CallSite.now()
        if site is None or all(t.dtype not in DIFFERENTIABLE for t in self._targets):
            return
        reasons: dict[str, list[str]] = {}
        names = source_names(site, "gradient", 1, len(sources))
        for i, (source, token, gradient) in enumerate(zip(sources, tokens, gradients, strict=True)):
            if gradient is not None or _has_other_warning(source):
                continue
            label = label_of(i, source, names[i])
            why = self.explain(source, token, label, site, names[i])
            reasons.setdefault(why.cause(), []).append(label)
        if reasons:
            text = "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())
            warn_first(
                f"None {site.file}:{site.line}",
                1,
                "%s: no gradient for %s.",
                site.location(site.line),
                text,
            )

    def explain(
        self, source: Any, token: Token, label: str, site: CallSite | None, name: str = ""
    ) -> GradientExplanation:
        """Return the reason for one source; `name` is how the calling line refers to it."""
        if source.dtype not in DIFFERENTIABLE:
            return causes.source_dtype(label, source.dtype.name)
        if all(t.dtype not in DIFFERENTIABLE for t in self._targets):
            return self._target_dtype(label)
        if any(isinstance(t, SymbolicTensor) for t in self._targets):
            in_graph = self._in_graph(source, token, label)
            if in_graph is not None:
                return in_graph
        elif token in self._followed:
            return self._in_records(token, label, site)
        return self._unwatched(source, token, label, site, name)

    # -- in the records of an eager tape -------------------------------------------------------

    def _in_records(self, token: Token, label: str, site: CallSite | None) -> GradientExplanation:
        """Return the reason for a source that the tape follows."""
        before = self._endings_before_targets()
        noted = [] if self._endings is None else self._endings.noted
        exits = [ending for ending in noted if ending.kind == PYTHON]
        for ending in (*before, *exits):
            if ending.starts_at(token):
                return _ended(label, ending, token)
        dropped = self._dropped(token, label)
        if dropped is not None:
            return dropped
        if self._has_path:
            return causes.unused(label, self._users(token))
        for ending in (*before, *exits):
            if not ending.is_complete:
                return _ended(label, ending, token)
        return self._constant_target(label, site)

    def _endings_before_targets(self) -> list[Ending]:
        endings = self._endings
        if endings is None:
            return []
        return [ending for target in self._targets for ending in endings.before(target._id)]

    def _users(self, token: Token) -> list[str]:
        """Return the ops that compute with a source, or with the value of a variable."""
        reached = {token}
        users = []
        for call in reversed(self._unpulled):
            if reached.isdisjoint(call.inputs):
                continue
            if call.op in _FORWARDING:
                reached.update(call.results)
            else:
                users.append(call.op)
        return users

    def _dropped(self, token: Token, label: str) -> GradientExplanation | None:
        """Return the reason if a call that received a gradient passed none on to the source."""
        reached: dict[Token, tuple[Step, ...]] = {token: ()}
        # They were added on the way back: from the source on, they come last to first.
        for call in reversed(self._unpulled):
            path = next((reached[t] for t in call.inputs if t in reached), None)
            if path is None:
                continue
            if call.results:
                reached.update((result, (*path, Step(call.op))) for result in call.results)
                continue
            here = (*path, Step(call.op, None, ends=True))
            if call.body is not None:
                inside = _in_body(call.body, label, here)
                if inside is not None:
                    return inside
            return causes.rule_returned_none(label, call.op, here)
        return None

    # -- in a graph ----------------------------------------------------------------------------

    def _in_graph(self, source: Any, token: Token, label: str) -> GradientExplanation | None:
        """Return the reason that the graph of the targets shows; None if it shows none."""
        targets = [t for t in self._targets if isinstance(t, SymbolicTensor)]
        steps = find_path(targets, matcher(source))
        if steps is None:
            return causes.unused(label, []) if token in self._followed else None
        end = next((step for step in steps if step.kind is not None), None)
        if end is not None:
            return _ended_in_graph(label, end, steps)
        if token not in self._followed:
            return None
        for step in steps:
            if not self._ledger.follows(step.output._id):
                return causes.outside(label, step.node.source)
        return None

    # -- what the tape never followed ----------------------------------------------------------

    def _unwatched(
        self, source: Any, token: Token, label: str, site: CallSite | None, name: str
    ) -> GradientExplanation:
        is_variable = isinstance(source, Variable) or acts_as_variable(source)
        bound = None if is_variable or site is None else _overwritten_at(site, name)
        if bound is not None:
            return causes.overwritten(label, name, bound)
        if not is_variable:
            return causes.unwatched_tensor(label)
        if not source.trainable:
            return causes.not_trainable(label)
        if not self._accessed and token not in self._followed:
            return causes.not_accessed(label)
        after = None if site is None else _computed_outside(site)
        return causes.unread(label) if after is None else causes.outside(label, after)

    def _constant_target(self, label: str, site: CallSite | None) -> GradientExplanation:
        """Return the reason for a target that depends on nothing the tape follows."""
        if any(isinstance(t, SymbolicTensor) for t in self._targets):
            return causes.constant(label)
        location = None if site is None else _computed_outside(site)
        return causes.constant(label) if location is None else causes.outside(label, location)

    def _target_dtype(self, label: str) -> GradientExplanation:
        target = self._targets[0]
        location = None
        if isinstance(target, SymbolicTensor):
            location = target.op.source
        elif (endings := self._endings_before_targets()) and endings[-1].detail:
            location = endings[-1].location
        return causes.target_dtype(label, target.dtype.name, location)


def _ended(label: str, ending: Ending, token: Token) -> GradientExplanation:
    steps = [Step(op) for op in ending.origins.get(token, ())]
    if ending.body is not None:
        here = Step(ending.op, ending.location, ends=True)
        inside = _in_body(ending.body, label, (*steps, here))
        if inside is not None:
            return inside
    last = Step(ending.op, ending.location, ends=True)
    return causes.ended(
        label, ending.kind, ending.op, ending.detail, ending.location, (*steps, last)
    )


def _in_body(body: Any, label: str, before: tuple[Step, ...]) -> GradientExplanation | None:
    """Return where the paths through a called graph end."""
    targets = [t for t in body.outputs if t is not None]
    inputs = {id(t) for t in body.inputs if t.dtype in DIFFERENTIABLE}
    steps = find_path(targets, lambda tensor: id(tensor) in inputs)
    end = next((step for step in steps or () if step.kind is not None), None)
    return None if end is None else _ended_in_graph(label, end, steps or [], before)


def _ended_in_graph(
    label: str, end: GraphStep, steps: list[GraphStep], before: tuple[Step, ...] = ()
) -> GradientExplanation:
    inner = innermost(end)
    kind = inner.kind or ""
    node = inner.node
    if kind == ASSIGNMENT:
        variable = node.inputs[0].static_value
        detail = getattr(variable, "name", "") or ""
    else:
        detail = inner.output.dtype.name
    path = [Step(s.node.type, s.node.source, ends=s.kind is not None) for s in steps]
    return causes.ended(label, kind, node.type, detail, node.source, (*before, *path))


def matcher(source: Any) -> Any:
    """Return whether a tensor of the graph is the source: itself, a twin, or its capture."""
    handle = source.handle if isinstance(source, Variable) else handle_in(source)
    searched = source if handle is None else handle
    token = token_of(searched)
    origin = getattr(searched, "_origin", searched)

    def matches(tensor: SymbolicTensor) -> bool:
        if tensor is origin or tensor._id is token:
            return True
        graph = tensor.op.graph
        return any(
            inner is tensor and outer is searched
            for outer, inner in getattr(graph, "captures", {}).values()
        )

    return matches


# -- what the calling line says ------------------------------------------------------------------


def source_names(site: CallSite | None, method: str, index: int, count: int) -> list[str]:
    """Return how the calling line refers to each source; "" where it has no name for one."""
    arguments = [] if site is None else site.arguments(method)
    if index < len(arguments):
        argument = arguments[index]
        if isinstance(argument, ast.List | ast.Tuple) and len(argument.elts) == count:
            return [ast.unparse(element) for element in argument.elts]
        if count == 1:
            return [ast.unparse(argument)]
    return [""] * count


def _overwritten_at(site: CallSite, name: str) -> Location | None:
    """Return the line that bound the name of a variable to something else, before this one."""
    was_variable = False
    for binding in site.bindings(name):
        if _creates_variable(binding.value):
            was_variable = True
        elif was_variable and binding.value is not None:
            return site.location(binding.line)
    return None


def _creates_variable(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Variable")


def _computed_outside(site: CallSite) -> Location | None:
    """Return the line that computes the target, if it is outside the block of the tape."""
    arguments = site.arguments("gradient")
    blocks = site.blocks(site.receiver("gradient"))
    if not blocks and arguments and isinstance(arguments[0], ast.Name):
        # tf.explain.gradient(tape, target, source)
        blocks, arguments = site.blocks(arguments[0].id), arguments[1:]
    target = arguments[0] if arguments else None
    if not isinstance(target, ast.Name):
        return None
    bound = [b for b in site.bindings(target.id) if b.value is not None]
    if not blocks or not bound:
        return None
    before = [b for b in bound if b.line <= site.line] or bound
    line = before[-1].line
    if any(first <= line <= last for first, last in blocks):
        return None
    return site.location(line)


def _has_other_warning(source: Any) -> bool:
    """Whether the dtype warning covers it, or the library that wraps the variable does."""
    if isinstance(source, Variable):
        return False
    return acts_as_variable(source) or source.dtype not in DIFFERENTIABLE


def label_of(index: int, source: Any, name: str = "") -> str:
    """Return how messages refer to a source."""
    path = getattr(source, "path", None)
    if isinstance(path, str):
        return f"variable {path!r}"
    if isinstance(source, Variable):
        is_default = name.isidentifier() and source.name == "Variable:0"
        return f"variable {name if is_default else source.name!r}"
    called = f"{name}, " if name.isidentifier() else ""
    return f"source {index} ({called}shape {source.shape}, {source.dtype.name})"


def latest_reason(variable: Any) -> str:
    """Return why the last gradients, in any thread, had none for a variable; "" if they had."""
    unconnected = _latest[0]() if _latest else None
    token = source_token(variable)
    if unconnected is None or token not in unconnected.missing:
        return ""
    explanation: GradientExplanation = unconnected.explain(
        variable, token, label_of(0, variable), CallSite.now()
    )
    return explanation.cause()
