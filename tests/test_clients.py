"""The runner of client libraries: how it counts, and that every program is there."""

from __future__ import annotations

import re

from clients.run import PROGRAMS, Result, counts_of_program, counts_of_tests
from clients.table import CLIENTS, Client


def test_the_summary_of_pytest_is_counted() -> None:
    output = "FAILED a.py::b\n2 failed, 10 passed, 3 skipped, 1 error in 5.00s\n"
    assert counts_of_tests(output) == (10, 3, 3)
    assert counts_of_tests("no summary") == (0, 0, 0)


def test_parts_of_programs_are_counted() -> None:
    client = Client("x", ("x",), program="x.py", parts=3)
    assert counts_of_program(client, "ok: one\nnoise\nok: two\n") == (2, 1, 0)


def _parts(program: str) -> int:
    """How many lines a program prints: written out, or one for each function of `JOBS`."""
    jobs = re.search(r"^JOBS = \((.*?)\)$", program, re.MULTILINE | re.DOTALL)
    return len(re.findall(r"\w+", jobs[1])) if jobs else program.count('print("ok: ')


def test_programs_print_as_many_parts_as_the_table_says() -> None:
    for client in CLIENTS:
        assert bool(client.tests) != bool(client.program)
        if client.program:
            text = (PROGRAMS / client.program).read_text()
            assert _parts(text) == client.parts, client.name
    assert str(Result(1, 2, 3, 4.4, "why")) == "1 / 2 / 3, 4 s (why)"
