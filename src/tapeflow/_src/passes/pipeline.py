"""The passes, in order: from a body to one with the same results and fewer operations.

All of them look at one call at a time, so one traversal applies them all: each call goes through
the rules of each pass in turn. One after the other, as `steps` runs them, they have the same
result, more slowly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.passes import (
    arithmetic,
    branches,
    common,
    constants,
    debug,
    identities,
    implementations,
    loops,
    normalization,
    options,
    pooling,
    pruning,
    shapes,
    structures,
)
from tapeflow._src.passes.options import Options
from tapeflow._src.passes.rewriting import LocalPass, Rules, rewrite
from tapeflow._src.passes.verify import verify


class Pass(NamedTuple):
    """A pass and the option that switches it."""

    local: LocalPass
    option: str
    default: bool = True
    # Whether setting the option switches it off.
    disables: bool = False

    @property
    def name(self) -> str:
        return self.local.name

    def is_on(self, settings: Options) -> bool:
        return settings.enabled(self.option, self.default != self.disables) != self.disables


PASSES = (
    Pass(LocalPass("debug stripping", debug.rules), "debug_stripper", default=False),
    Pass(
        LocalPass("pruning", pruning.rules, drops_unused=True),
        "disable_model_pruning",
        disables=True,
    ),
    Pass(LocalPass("implementation selection", implementations.rules), "implementation_selector"),
    Pass(LocalPass("constant folding", constants.rules), "constant_folding"),
    Pass(LocalPass("identities", identities.rules), "dependency_optimization"),
    Pass(LocalPass("shape folding", shapes.rules), "shape_optimization"),
    Pass(LocalPass("arithmetic", arithmetic.rules), "arithmetic_optimization"),
    Pass(LocalPass("normalization", normalization.rules), "remapping"),
    Pass(LocalPass("pooling", pooling.rules), "remapping"),
    Pass(LocalPass("dead branches", branches.rules), "loop_optimization"),
    Pass(LocalPass("loop invariants", loops.rules), "loop_optimization"),
    Pass(LocalPass("common subexpressions", common.rules), "arithmetic_optimization"),
)

# Set it to verify the graph before and after every single pass.
_VERIFYING = bool(os.environ.get("TAPEFLOW_VERIFY_PASSES"))


def optimize(body: Body, settings: Options | None = None) -> Body:
    """Return `body` after all passes that are switched on."""
    settings = options.current() if settings is None else settings
    if settings.enabled("disable_meta_optimizer", False):
        return body
    if len(body.graph.nodes) < settings.min_graph_nodes:
        return body
    if _VERIFYING:
        optimized = verify(body)
        for _, optimized in steps(body, settings):
            verify(optimized)
        return optimized
    rules = _rules(tuple(one.local for one in PASSES if one.is_on(settings)))
    optimized = rewrite(body, rules)
    if optimized is not body and pruning.has_unused_results(optimized):
        optimized = rewrite(optimized, rules)
    return optimized


def optimize_checked(body: Body) -> Body:
    """Like `optimize`, for a body whose results are checked.

    If a constant turns out not to be finite, none is folded: it is computed when the body runs,
    where that is noticed.
    """
    optimized = optimize(body)
    if all(map(constants.is_finite, optimized.nodes())):
        return optimized
    return optimize(body, options.current().changed({"constant_folding": False}))


def steps(body: Body, settings: Options | None = None) -> Iterator[tuple[str, Body]]:
    """Yield the body after each pass that is switched on, one at a time."""
    settings = options.current() if settings is None else settings
    for one in PASSES:
        if one.is_on(settings):
            body = apply(one, body)
            yield one.name, body


def apply(one: Pass, body: Body) -> Body:
    """Return `body` after a single pass."""
    return rewrite(body, _rules((one.local,)))


@lru_cache(maxsize=256)
def _rules(passes: tuple[LocalPass, ...]) -> Rules:
    return Rules(passes, structures.copy)


class Report(NamedTuple):
    """The number of operations before and after each pass."""

    lines: tuple[tuple[str, int, int], ...]

    def __str__(self) -> str:
        return "\n".join(f"{name:24}{before:6} ->{after:6}" for name, before, after in self.lines)


def report(body: Body, settings: Options | None = None) -> Report:
    """Report what each pass does to `body`."""
    lines = []
    before = count_nodes(body)
    for name, optimized in steps(body, settings):
        after = count_nodes(optimized)
        lines.append((name, before, after))
        before = after
    return Report(tuple(lines))


def count_nodes(body: Body) -> int:
    """Count the operations that run, including branches and loops, but no inputs or constants."""
    return sum(
        1 + sum(count_nodes(inner) for inner in bodies_of(node))
        for node in body.nodes()
        if not (node.definition.is_argument or node.definition.is_constant)
    )
