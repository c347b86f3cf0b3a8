"""Tests that run once for each combination of arguments, in the modes that some of them name."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.graph.graph import Graph

Arguments = OrderedDict[str, Any]


class ParameterModifier:
    """Changes the arguments that a test gets."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs: Any, requested_parameters: Any) -> dict[str, Any]:
        """Return the arguments to change."""
        return {}


class OptionalParameter(ParameterModifier):
    """An argument that a test gets only if it takes it."""

    def modified_arguments(self, kwargs: Any, requested_parameters: Any) -> dict[str, Any]:
        """Return a mark for the argument if the test does not take it."""
        if self._parameter_name in requested_parameters:
            return {}
        return {str(self._parameter_name): ParameterModifier.DO_NOT_PASS_TO_THE_TEST}


class TestCombination:
    """A meaning of arguments: whether tests run with them, and in which contexts."""

    __test__ = False

    def should_execute_combination(self, kwargs: Any) -> tuple[bool, str | None]:
        """Return whether to run, and why not."""
        return True, None

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """Return what changes the arguments."""
        return []

    def context_managers(self, kwargs: Any) -> Sequence[AbstractContextManager[Any]]:
        """Return the contexts in which the test runs."""
        return []


class EagerGraphCombination(TestCombination):
    """The argument `mode`: "eager" or "graph"."""

    def context_managers(self, kwargs: Any) -> Sequence[AbstractContextManager[Any]]:
        """Return the context of the mode."""
        mode = kwargs.pop("mode", None)
        if mode is None:
            return []
        if mode == "eager":
            return [dispatch.use_mode(dispatch.base_mode())]
        if mode == "graph":
            return [Graph().as_default()]
        raise ValueError(f"Expected mode to be 'eager' or 'graph', received {mode!r}.")

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """Return that tests need not take `mode`."""
        return [OptionalParameter("mode")]


class NamedObject:
    """An object that stands in names of tests by a name of its own."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[Arguments]:
    """Return all combinations of the values of arguments; what is no list is one value."""
    if not kwargs:
        return [OrderedDict()]
    names = sorted(kwargs)
    values = [kwargs[n] if isinstance(kwargs[n], list) else [kwargs[n]] for n in names]
    return [OrderedDict(zip(names, each)) for each in itertools.product(*values)]


def times(*combined: Iterable[Arguments]) -> list[Arguments]:
    """Return each combination of one list joined with each of the others."""
    result: list[Arguments] = []
    for parts in itertools.product(*combined):
        keys = [key for part in parts for key in part]
        if len(keys) != len(set(keys)):
            raise ValueError(f"Expected each argument in one of the lists only, received {keys}.")
        result.append(OrderedDict((key, part[key]) for part in parts for key in part))
    return result


def _name_of(arguments: Arguments) -> str:
    texts = [text for item in arguments.items() for text in map(str, item)]
    return "_test" + "".join(f"_{''.join(filter(str.isalnum, text))}" for text in texts)


def _generate(
    combinations: list[Arguments], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """Decorate a test, or all tests of a class, to run once for each combination."""

    def decorate(target: Any) -> Any:
        if not isinstance(target, type):
            return _Cases(target, combinations, test_combinations)
        for name, member in list(vars(target).items()):
            if name.startswith("test") and callable(member):
                setattr(target, name, _Cases(member, combinations, test_combinations))
                vars(target)[name].__set_name__(target, name)
        return target

    return decorate


generate = functools.partial(_generate, test_combinations=(EagerGraphCombination(),))


class _Cases:
    """The tests that one function stands for: they replace it in the class that has it."""

    def __init__(
        self, function: Any, combinations: list[Arguments], kinds: Sequence[TestCombination]
    ) -> None:
        self._function, self._combinations, self._kinds = function, combinations, kinds

    def __set_name__(self, owner: type, name: str) -> None:
        delattr(owner, name)
        for number, arguments in enumerate(self._combinations):
            test = self._test(self._function, arguments)
            test.__name__ = f"{name}{_name_of(arguments)}"
            if test.__name__ in vars(owner):
                test.__name__ += f"_{number}"
            setattr(owner, test.__name__, test)

    def _test(self, function: Any, arguments: Arguments) -> Any:
        # What a decorator passes by itself is not asked for.
        requested = inspect.signature(function, follow_wrapped=False).parameters
        takes_all = any(p.kind is p.VAR_KEYWORD for p in requested.values())

        @functools.wraps(function)
        def test(self_: Any, *args: Any) -> Any:
            kwargs = dict(arguments)
            for kind in self._kinds:
                runs, reason = kind.should_execute_combination(kwargs.copy())
                if not runs:
                    self_.skipTest(reason or "")
            passed = dict(kwargs)
            for modifier in (each for kind in self._kinds for each in kind.parameter_modifiers()):
                changed = modifier.modified_arguments(dict(kwargs), () if takes_all else requested)
                passed.update(changed)
            with contextlib.ExitStack() as contexts:
                for kind in self._kinds:
                    for context in kind.context_managers(kwargs.copy()):
                        contexts.enter_context(context)
                left_out = ParameterModifier.DO_NOT_PASS_TO_THE_TEST
                expected_kwargs = {
                    key: each for key, each in passed.items() if each is not left_out
                }
                return function(self_, *args, **expected_kwargs)

        del test.__wrapped__  # type: ignore[attr-defined]
        return test
