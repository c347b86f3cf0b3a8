"""SipHash in machine code returns what the function in Python does."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import sip_hash as machine_code
from tapeflow._src.ops.strings import hash as hash_ops


@pytest.mark.parametrize("keys", [(0, 0), (1, 2), (2**64 - 1, 2**63)])
def test_strings_of_all_lengths_hash_as_in_python(keys: tuple[int, int]) -> None:
    code = machine_code.sip_hash()
    if code is None:
        pytest.skip("this processor runs no such code")
    random = np.random.default_rng(0)
    for size in [*range(40), 255, 256, 1000]:
        text = random.bytes(size)
        assert code(text, size, *keys) == hash_ops.sip_hash(text, *keys)


def test_other_processors_hash_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [b"", b"a", b"a longer string of bytes \0 and more"]
    expected = tf.strings.to_hash_bucket_strong(texts, 1 << 40, [1, 2]).numpy()
    monkeypatch.setattr(hash_ops, "sip_hash_code", lambda: None)
    actual = tf.strings.to_hash_bucket_strong(texts, 1 << 40, [1, 2]).numpy()
    np.testing.assert_array_equal(actual, expected)
