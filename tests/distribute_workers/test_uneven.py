"""Results on a last batch with fewer rows than workers are those of one process."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tests.distribute_workers import uneven_programs
from tests.distribute_workers.launch import run


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_workers_without_rows_change_no_results(count: int) -> None:
    expected = uneven_programs.train(tf.distribute.get_strategy())
    for result in run(count, "uneven_programs.uneven"):
        own = result["uneven_programs.uneven"]
        assert own.keys() == expected.keys()
        own["fit"] = [own["fit"][name] for name in expected["fit"]]
        for name, value in expected.items():
            wanted = list(value.values()) if isinstance(value, dict) else value
            pairs = zip(tf.nest.flatten(own[name]), tf.nest.flatten(wanted), strict=True)
            for one, other in pairs:
                np.testing.assert_allclose(one, other, 1e-5, 1e-6, err_msg=name)
