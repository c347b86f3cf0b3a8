"""OpenMP's threads are kept off the core of the thread that waits for them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tapeflow._src.backends import onednn, openmp
from tapeflow._src.backends.onednn_library import library
from tapeflow._src.backends.onednn_product import product
from tapeflow._src.backends.separation import separation

pytestmark = [
    pytest.mark.skipif(not onednn.available(), reason="oneDNN is not installed"),
    pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen"),
]
SIZE = 512  # products of this order are divided


def team_of_this_thread() -> list[int]:
    """Return the numbers of the threads in the team of this thread, itself left out."""
    found: list[int] = []
    body = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
        lambda _: found.append(threading.get_native_id())
    )
    run = library().run_on_team
    assert run is not None
    run(body, None, 2, 0)
    return [number for number in found if number != threading.get_native_id()]


def multiply() -> None:
    ones = np.ones((SIZE, SIZE), np.float32)
    result = product(ones, ones)
    assert result is not None and (result == SIZE).all()


@pytest.fixture
def two_threads():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one core")
    before = onednn.num_threads()
    onednn.set_num_threads(2)
    yield
    onednn.set_num_threads(before)


def test_members_of_a_team_are_kept_off_the_callers_core(two_threads: None):
    allowed = os.sched_getaffinity(0)
    multiply()
    (other,) = team_of_this_thread()
    assert len(os.sched_getaffinity(other)) == len(allowed) - 1
    assert os.sched_getaffinity(other) < allowed
    assert os.sched_getaffinity(0) == allowed


def test_members_follow_when_the_caller_moves(two_threads: None):
    allowed = os.sched_getaffinity(0)
    try:
        for core in sorted(allowed):
            os.sched_setaffinity(0, {core})
            openmp.keep_off(2)
            (other,) = team_of_this_thread()
            multiply()
            assert core not in os.sched_getaffinity(other)
    finally:
        os.sched_setaffinity(0, allowed)


def test_each_thread_has_a_team_of_its_own(two_threads: None):
    def team() -> list[int]:
        multiply()
        return team_of_this_thread()

    with ThreadPoolExecutor(1) as pool:
        (elsewhere,) = pool.submit(team).result()
    (here,) = team()
    assert here != elsewhere


def test_threads_that_have_ended_are_noticed():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not separation([ended.pid], "sched_setaffinity")()


def test_another_team_is_looked_for_when_threads_have_ended(two_threads: None):
    caller = threading.get_native_id()
    openmp._teams[caller] = openmp._Team(2, lambda: False)
    openmp.keep_off(2)
    assert openmp._teams[caller].keep_off()


@pytest.mark.parametrize("setting", ["OMP_PROC_BIND=true", "GOMP_CPU_AFFINITY=0-1"])
def test_settings_of_the_user_stand(setting: str):
    code = (
        "from tapeflow._src.backends import openmp\n"
        "from tests.backends.test_openmp import multiply\n"
        "multiply()\n"
        "openmp.keep_off(2)\n"
        "(team,) = openmp._teams.values()\n"
        "print(team.keep_off.__qualname__)\n"
    )
    name, value = setting.split("=")
    environment = {**os.environ, name: value}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "keep_off" not in done.stdout
