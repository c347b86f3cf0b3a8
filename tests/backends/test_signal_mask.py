"""Products during which signals must not come."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from tapeflow._src.backends import onednn_library, onednn_product, processor, signal_mask

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="signals are blocked on Linux only"
)


@pytest.fixture
def received() -> Iterator[list[int]]:
    numbers: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: numbers.append(number))
    yield numbers
    signal.signal(signal.SIGUSR1, before)


def test_a_signal_comes_after_the_call(received: list[int]) -> None:
    during: list[int] = []

    def call() -> str:
        # To this thread: a signal to the process may come to any other one.
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        during.extend(received)
        assert signal.SIGUSR1 in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        return "result"

    assert signal_mask.without_signals(call)() == "result"
    assert during == [] and received == [signal.SIGUSR1]
    assert signal.SIGUSR1 not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_the_mask_of_the_thread_is_restored_after_an_error() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    try:
        with pytest.raises(ZeroDivisionError):
            signal_mask.without_signals(lambda: 1 / 0)()
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGUSR2}
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR2])


@pytest.mark.skipif(not onednn_library.available(), reason="oneDNN is not installed")
def test_products_block_signals_on_processors_with_avx512(monkeypatch: pytest.MonkeyPatch) -> None:
    masks: list[set[signal.Signals]] = []
    library = onednn_library.library()
    plain = library.sgemm

    def watched(*arguments: object) -> None:
        masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        plain(*arguments)

    monkeypatch.setattr(library, "sgemm", watched)
    monkeypatch.setattr(onednn_product, "has_avx512", lambda: True)
    onednn_product._sgemm.cache_clear()
    try:
        a = np.full((100, 200), 2, np.float32)
        result = onednn_product.product(a, a.T)
    finally:
        onednn_product._sgemm.cache_clear()
    assert result is not None and (result == 800).all()
    assert signal.SIGINT in masks[0]


# A handler that does nothing, while products are computed.
_PROFILED = """
import signal, sys
import numpy as np
import tapeflow as tf

signal.signal(signal.SIGPROF, lambda *_: None)
signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
a = tf.constant(np.ones((300, 300), "float32"))
for _ in range(1500):
    a @ a
signal.setitimer(signal.ITIMER_PROF, 0)
print("done")
"""


@pytest.mark.skipif(not signal_mask.has_avx512(), reason="only products by AVX-512 are at stake")
def test_products_survive_signals() -> None:
    ended = subprocess.run([sys.executable, "-c", _PROFILED], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr


def test_signals_are_blocked_where_the_processor_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(*_: object, **__: object) -> None:
        raise OSError("no /proc here")

    monkeypatch.setattr("builtins.open", unreadable)
    monkeypatch.setattr(signal_mask, "features", processor.features.__wrapped__)
    assert signal_mask.has_avx512()
