"""Assertions about texts, containers, exceptions, commands and messages."""

from __future__ import annotations

import dataclasses
import json
import operator
import re
import subprocess
import unittest
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlparse

from tapeflow._src.api.test.messages import assert_messages_equal
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.types import TensorLike
from tapeflow._src.core.version import GRAPH_DEF_VERSION


class Assertions(unittest.TestCase):
    """Assertions about Python values."""

    # -- containers --------------------------------------------------------------------------

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Assert the number of items.

        Args:
            container: A container.
            expected_len: The number.
            msg: Text that the failure shows.
        """
        if len(container) != expected_len:
            message = f"{container!r} has length of {len(container)}, expected {expected_len}."
            self.fail(self._formatMessage(msg, message))

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Assert that the container is empty.

        Args:
            container: A container.
            msg: Text that the failure shows.
        """
        if len(container):
            message = f"{container!r} has length of {len(container)}."
            self.fail(self._formatMessage(msg, message))

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Assert that the container is not empty.

        Args:
            container: A container.
            msg: Text that the failure shows.
        """
        if not len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of 0."))

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Assert the same items with the same counts, in any order.

        Args:
            first: The first value.
            second: The value to compare with.
            msg: Text that the failure shows.
        """
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Assert the same set of items, in any order and with any counts.

        Args:
            expected_seq: The expected items.
            actual_seq: The items to check.
            msg: Text that the failure shows.
        """
        missing = [item for item in expected_seq if item not in actual_seq]
        unexpected = [item for item in actual_seq if item not in expected_seq]
        if missing or unexpected:
            message = (
                f"Expected, but missing:\n  {missing}\nUnexpected, but present:\n  {unexpected}"
            )
            self.fail(self._formatMessage(msg, message))

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: Any = None) -> None:
        """Assert that all expected items are present.

        Args:
            expected_subset: The expected items.
            actual_set: The items to check.
            msg: Text that the failure shows.
        """
        missing = set(expected_subset) - set(actual_set)
        if missing:
            message = (
                f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}"
            )
            self.fail(self._formatMessage(msg, message))

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Assert that the containers are disjoint.

        Args:
            expected_seq: The expected items.
            actual_seq: The items to check.
            msg: Text that the failure shows.
        """
        common = set(expected_seq) & set(actual_seq)
        if common:
            message = f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}"
            self.fail(self._formatMessage(msg, message))

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Assert that the items of `subsequence` occur in order, possibly with gaps.

        Args:
            container: A container.
            subsequence: The items that must occur.
            msg: Text that the failure shows.
        """
        remaining = iter(container)
        if not all(item in remaining for item in subsequence):
            message = f"{subsequence!r} not a subsequence of {container!r}."
            self.fail(self._formatMessage(msg, message))

    def assertContainsExactSubsequence(
        self, container: Any, subsequence: Any, msg: Any = None
    ) -> None:
        """Assert that the items of `subsequence` occur consecutively.

        Args:
            container: A container.
            subsequence: The items that must occur.
            msg: Text that the failure shows.
        """
        items, expected = list(container), list(subsequence)
        starts = range(len(items) - len(expected) + 1)
        if not any(items[i : i + len(expected)] == expected for i in starts):
            message = f"{subsequence!r} not an exact subsequence of {container!r}."
            self.fail(self._formatMessage(msg, message))

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: Any = None,
        msg: Any = None,
        delta: Any = None,
    ) -> None:
        """Assert that numbers are almost equal, one by one.

        Args:
            expected_seq: The expected items.
            actual_seq: The items to check.
            places: Number of decimals that must agree.
            msg: Text that the failure shows.
            delta: The largest difference, instead of `places`.
        """
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for i, (a, b) in enumerate(zip(expected_seq, actual_seq)):
            self.assertAlmostEqual(a, b, places, f"At index {i}. {msg or ''}", delta)

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Any = None) -> None:
        """Assert that `whole` starts with the items of `prefix`.

        Args:
            prefix: The expected first items.
            whole: The sequence.
            msg: Text that the failure shows.
        """
        start = list(prefix) if isinstance(prefix, (list, tuple)) else [prefix]
        self.assertSequenceEqual(start, list(whole)[: len(start)], msg)

    def assertDictEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Assert that dictionaries are equal.

        Args:
            a: The first value.
            b: The value to compare with.
            msg: Text that the failure shows.
        """
        super().assertDictEqual(a, b, msg)

    def assertDictAlmostEqual(
        self, a: Any, b: Any, places: Any = None, msg: Any = None, delta: Any = None
    ) -> None:
        """Assert the same keys, and values that are almost equal.

        Args:
            a: The first value.
            b: The value to compare with.
            places: Number of decimals that must agree.
            msg: Text that the failure shows.
            delta: The largest difference, instead of `places`.
        """
        self.assertCountEqual(a.keys(), b.keys(), msg)
        for key in a:
            if isinstance(a[key], float) or isinstance(b[key], float):
                self.assertAlmostEqual(a[key], b[key], places, f"At {key!r}. {msg or ''}", delta)
            else:
                self.assertEqual(a[key], b[key], msg)

    def assertSameStructure(
        self, a: TensorLike, b: TensorLike, aname: str = "a", bname: str = "b", msg: Any = None
    ) -> None:
        """Assert equal nested dicts and lists; report the first difference.

        Args:
            a: The first value.
            b: The value to compare with.
            aname: What messages call the first value.
            bname: What messages call the second value.
            msg: Text that the failure shows.
        """
        difference = _difference(a, b, aname, bname)
        if difference is not None:
            self.fail(self._formatMessage(msg, difference))

    def assertMappingEqual(
        self,
        a: Any,
        b: Any,
        msg: Any = None,
        mapping_type: Any = Mapping,
        check_values_equality: Any = operator.eq,
    ) -> None:
        """Assert the same keys, and values that are equal by `check_values_equality`.

        Args:
            a: The first value.
            b: The value to compare with.
            msg: Text that the failure shows.
            mapping_type: The class that both must have.
            check_values_equality: Function of two values that returns a bool.
        """
        for value in (a, b):
            self.assertIsInstance(value, mapping_type, msg)
        self.assertCountEqual(a.keys(), b.keys(), msg)
        for key in a:
            if not check_values_equality(a[key], b[key]):
                message = f"[{key!r}] is {a[key]!r} and {b[key]!r}"
                self.fail(self._formatMessage(msg, message))

    def assertDataclassEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Assert that two dataclasses have the same type and equal fields.

        Args:
            first: The first value.
            second: The value to compare with.
            msg: Text that the failure shows.
        """
        self.assertIs(type(first), type(second), msg)
        names = [field.name for field in dataclasses.fields(first)]
        a, b = ({name: getattr(one, name) for name in names} for one in (first, second))
        self.assertDictEqual(a, b, msg)

    def assertJsonEqual(self, first: str, second: str, msg: Any = None) -> None:
        """Assert that two texts encode the same JSON value.

        Args:
            first: The first value.
            second: The value to compare with.
            msg: Text that the failure shows.
        """
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    def assertTotallyOrdered(self, *groups: Any, **kwargs: Any) -> None:
        """Assert that items of a group are equal, and less than those of later groups.

        Args:
            *groups: Lists of equal items, the least first.
        """
        msg = kwargs.get("msg")
        for i, group in enumerate(groups):
            for item in group:
                for same in group:
                    self.assertEqual(item, same, msg)
                for later in groups[i + 1 :]:
                    for greater in later:
                        self.assertLess(item, greater, msg)
                        self.assertGreater(greater, item, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Assert `minv <= value <= maxv`.

        Args:
            value: The value.
            minv: The lower bound.
            maxv: The upper bound.
            msg: Text that the failure shows.
        """
        if not minv <= value <= maxv:
            message = f'"{value}" unexpectedly not between "{minv}" and "{maxv}"'
            self.fail(self._formatMessage(msg, message))

    # -- texts -------------------------------------------------------------------------------

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Assert that the text has this prefix.

        Args:
            actual: The text.
            expected_start: The prefix.
            msg: Text that the failure shows.
        """
        if not actual.startswith(expected_start):
            message = f"{actual!r} does not start with {expected_start!r}"
            self.fail(self._formatMessage(msg, message))

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: Any = None) -> None:
        """Assert that the text does not have this prefix.

        Args:
            actual: The text.
            unexpected_start: The prefix.
            msg: Text that the failure shows.
        """
        if actual.startswith(unexpected_start):
            message = f"{actual!r} does start with {unexpected_start!r}"
            self.fail(self._formatMessage(msg, message))

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Any = None) -> None:
        """Assert that the text has this suffix.

        Args:
            actual: The text.
            expected_end: The suffix.
            msg: Text that the failure shows.
        """
        if not actual.endswith(expected_end):
            message = f"{actual!r} does not end with {expected_end!r}"
            self.fail(self._formatMessage(msg, message))

    def assertNotEndsWith(self, actual: Any, unexpected_end: Any, msg: Any = None) -> None:
        """Assert that the text does not have this suffix.

        Args:
            actual: The text.
            unexpected_end: The suffix.
            msg: Text that the failure shows.
        """
        if actual.endswith(unexpected_end):
            message = f"{actual!r} does end with {unexpected_end!r}"
            self.fail(self._formatMessage(msg, message))

    def assertContainsInOrder(self, strings: Any, target: str, msg: Any = None) -> None:
        """Assert that the texts occur in `target` in order.

        Args:
            strings: The texts.
            target: The text that contains them.
            msg: Text that the failure shows.
        """
        start = 0
        for text in [strings] if isinstance(strings, str) else strings:
            position = target.find(text, start)
            if position < 0:
                where = f"Did not find {text!r} in {target!r} from place {start} on"
                self.fail(self._formatMessage(msg, where))
            start = position + len(text)

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: Any = None) -> None:
        """Assert that one of the patterns occurs in the text.

        Args:
            actual_str: The text.
            regexes: Patterns, one of which must occur.
            message: Text that the failure shows.
        """
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            text = f'"{actual_str}" does not contain any of these regexes: {regexes}.'
            self.fail(self._formatMessage(message, text))

    def assertUrlEqual(self, a: str, b: str, msg: Any = None) -> None:
        """Assert that URLs are equal, whatever the order of their parameters.

        Args:
            a: The first value.
            b: The value to compare with.
            msg: Text that the failure shows.
        """
        for first, second in zip(_address(a), _address(b)):
            self.assertEqual(first, second, msg)

    # -- exceptions --------------------------------------------------------------------------

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Assert that the block raises an error that satisfies the predicate or pattern.

        Args:
            exception_type: The class of the error.
            expected_err_re_or_predicate: A pattern of the text, or a function of the error that
                returns a bool.

        Returns:
            A context manager.
        """
        matches = expected_err_re_or_predicate
        if not callable(matches):
            pattern = expected_err_re_or_predicate

            def matches(error: Any) -> Any:
                text = error.message if isinstance(error, OpError) else str(error)
                return re.search(pattern, text)

        try:
            yield
        except exception_type as error:
            if not matches(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
            return
        self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Assert that the block raises a matching op error.

        Args:
            expected_err_re_or_predicate: A pattern of the text, or a function of the error that
                returns a bool.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: Any,
        expected_exception_message: str,
        callable_obj: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Assert that the call, or the block, raises an error with exactly this text.

        Args:
            expected_exception: The class of the error.
            expected_exception_message: The whole text.
            callable_obj: The function to call; without one, a context manager is returned.
        """

        def exact(error: Any) -> bool:
            return str(error) == expected_exception_message

        context = self.assertRaisesWithPredicateMatch(expected_exception, exact)
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)
        return None

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Assert that the class is a subclass of the other.

        Args:
            superclass: The other class.
            msg: Text that the failure shows.
        """
        if not issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is not a subclass of {superclass!r}"))

    def assertNotIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Assert that the first class does not derive from the second.

        Args:
            superclass: The other class.
            msg: Text that the failure shows.
        """
        if issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is a subclass of {superclass!r}"))

    # -- commands and messages ---------------------------------------------------------------

    def assertCommandSucceeds(
        self,
        command: Any,
        regexes: Any = (b"",),
        env: Any = None,
        close_fds: bool = True,
        msg: Any = None,
    ) -> None:
        """Assert that the command exits with 0, and its output matches a pattern.

        Args:
            command: The command, a string or a list.
            regexes: Patterns, one of which must occur.
            env: The environment.
            close_fds: Whether open files are closed.
            msg: Text that the failure shows.
        """
        code, output = _run(command, env, close_fds)
        if code:
            self.fail(self._formatMessage(msg, f"{command} ended with {code}: {output!r}"))
        self.assertRegexMatch(output, [_bytes(regex) for regex in regexes], msg)

    def assertCommandFails(
        self, command: Any, regexes: Any, env: Any = None, close_fds: bool = True, msg: Any = None
    ) -> None:
        """Assert that the command exits with an error, and its output matches a pattern.

        Args:
            command: The command, a string or a list.
            regexes: Patterns, one of which must occur.
            env: The environment.
            close_fds: Whether open files are closed.
            msg: Text that the failure shows.
        """
        code, output = _run(command, env, close_fds)
        if not code:
            self.fail(self._formatMessage(msg, f"{command} ended with 0: {output!r}"))
        self.assertRegexMatch(output, [_bytes(regex) for regex in regexes], msg)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: Any = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Assert that the message equals the expected one, which may be text.

        Args:
            expected_message_maybe_ascii: The expected message, or its text format.
            validate_message: The message.
            msg: Text that the failure shows.
            relative_tolerance: Tolerance of floating-point fields.
        """
        assert_messages_equal(
            expected_message_maybe_ascii, validate_message, msg, relative_tolerance
        )

    def assertProtoEqualsVersion(
        self,
        expected: Any,
        actual: Any,
        producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = 0,
        msg: Any = None,
    ) -> None:
        """Assert that the message equals the expected one, with these versions.

        Args:
            expected: The expected GraphDef, or its text format.
            actual: The GraphDef.
            producer: Its version of the producer.
            min_consumer: Its least version of a consumer.
            msg: Text that the failure shows.
        """
        versions = f"producer: {producer}"
        if min_consumer:
            versions += f" min_consumer: {min_consumer}"
        self.assertProtoEquals(f"versions {{ {versions} }}\n{expected}", actual, msg)


def _difference(a: Any, b: Any, aname: str, bname: str) -> str | None:
    """Describe the first difference of two structures."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in a:
            if key not in b:
                return f"{aname} has [{key!r}] but {bname} does not"
        for key in b:
            if key not in a:
                return f"{aname} lacks [{key!r}] but {bname} has it"
        pairs = [(key, a[key], b[key]) for key in a]
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return f"{aname} has length {len(a)} but {bname} has length {len(b)}"
        pairs = [(i, x, y) for i, (x, y) in enumerate(zip(a, b))]
    else:
        return None if a == b else f"{aname} is {a!r} but {bname} is {b!r}"
    differences = (
        _difference(x, y, f"{aname}[{key!r}]", f"{bname}[{key!r}]") for key, x, y in pairs
    )
    return next((text for text in differences if text is not None), None)


def _address(url: str) -> tuple[Any, ...]:
    parts = urlparse(url)
    return (*parts[:4], sorted(parse_qsl(parts.query)), parts.fragment)


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _run(command: Any, env: Any, close_fds: bool) -> tuple[int, bytes]:
    run = subprocess.run(
        command,
        env=env,
        close_fds=close_fds,
        shell=isinstance(command, str),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return run.returncode, run.stdout
