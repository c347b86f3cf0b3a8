"""Ways to compute the same are chosen by time, also where times cannot be trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tapeflow._src.executors import ways
from tapeflow._src.executors.ways import Ways


class Machine:
    """A clock that calls advance, and how long each way takes on this machine now."""

    def __init__(self, *seconds: float) -> None:
        self.now = 0.0
        self.seconds = list(seconds)
        self.calls = [0] * len(seconds)
        # By how much the coming calls are slowed down.
        self.noise: Callable[[int], float] = lambda way: 1.0

    def ways(self) -> Ways:
        def way(index: int) -> ways.Way:
            def run(arrays: Any, attrs: Any) -> int:
                self.calls[index] += 1
                self.now += self.seconds[index] * self.noise(index)
                return index

            return run

        return Ways([way(index) for index in range(len(self.seconds))])


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    def new(*seconds: float) -> Machine:
        created = Machine(*seconds)
        monkeypatch.setattr(ways, "clock", lambda: created.now)
        return created

    return new


def settle(call: Ways) -> int:
    """Run the trial, and return the way that was chosen."""
    while not call.all_tried():
        call([], {})
    call.choose()
    return chosen(call)


def chosen(call: Ways) -> int:
    assert call.chosen is not None
    return call.ways.index(call.chosen)


def run_for(call: Ways, machine: Machine, seconds: float) -> None:
    end = machine.now + seconds
    while machine.now < end:
        call([], {})


@pytest.mark.parametrize("fastest", [0, 1, 2])
@pytest.mark.parametrize("scale", [1e-5, 1e-3, 1.0])
def test_the_fastest_way_is_chosen(machine: Any, fastest: int, scale: float) -> None:
    times = [2 * scale] * 3
    times[fastest] = scale
    simulated = machine(*times)
    assert settle(simulated.ways()) == fastest
    assert max(simulated.calls) <= ways.TRIALS + 1


def test_slow_ways_are_tried_more_than_once(machine: Any) -> None:
    simulated = machine(0.2, 0.1)
    settle(simulated.ways())
    assert min(simulated.calls) == ways.FEW_TRIALS + 1


def test_one_disturbed_call_of_each_way_changes_nothing(machine: Any) -> None:
    simulated = machine(0.04, 0.003)
    # The first calls that are timed take long, as while another program starts.
    simulated.noise = lambda way: 20.0 if simulated.calls[way] <= 2 else 1.0
    assert settle(simulated.ways()) == 1


@pytest.mark.parametrize("disturbed", [10.0, 100.0])
def test_a_choice_from_a_noisy_trial_is_corrected(machine: Any, disturbed: float) -> None:
    simulated = machine(0.040, 0.003)
    simulated.noise = lambda way: disturbed if way == 1 else 1.0
    call = simulated.ways()
    settle(call)
    if disturbed * 0.003 > 0.040:
        assert chosen(call) == 0
    simulated.noise = lambda way: 1.0
    run_for(call, simulated, 1.01 * ways.FIRST_PAUSE * 0.003 * disturbed + 1.0)
    assert chosen(call) == 1


def test_a_way_that_lost_often_is_still_tried(machine: Any) -> None:
    simulated = machine(0.001, 0.002)
    call = simulated.ways()
    assert settle(call) == 0
    run_for(call, simulated, 100.0)
    assert chosen(call) == 0
    simulated.seconds[0] = 0.004  # another program holds the cores that this way needs
    run_for(call, simulated, 2 * ways.LONGEST_PAUSE * 0.002)
    assert chosen(call) == 1
    simulated.seconds[0] = 0.001
    run_for(call, simulated, 2 * ways.LONGEST_PAUSE * 0.004)
    assert chosen(call) == 0


def test_trying_again_costs_little(machine: Any) -> None:
    simulated = machine(0.001, 0.0015, 0.1)
    call = simulated.ways()
    settle(call)
    run_for(call, simulated, 1000.0)
    before, simulated.calls = simulated.now, [0, 0, 0]
    run_for(call, simulated, 1000.0)
    wasted = simulated.calls[1] * 0.0005 + simulated.calls[2] * 0.099
    assert chosen(call) == 0 and wasted < 0.005 * (simulated.now - before)
    assert min(simulated.calls) > 0


def test_noise_of_single_calls_does_not_change_the_choice(machine: Any) -> None:
    simulated = machine(0.001, 0.0012, 0.005)
    call = simulated.ways()
    settle(call)
    # Two calls in three take up to eight times as long, at any time.
    simulated.noise = lambda way: (1.0, 8.0, 3.0)[sum(simulated.calls) % 3]
    for _ in range(50):
        run_for(call, simulated, 1.0)
        assert chosen(call) == 0


def test_a_way_whose_calls_vary_is_not_held_to_the_best_of_many_calls(machine: Any) -> None:
    simulated = machine(0.001, 0.0007)
    simulated.noise = lambda way: 3.0 if way == 1 else 1.0
    call = simulated.ways()
    assert settle(call) == 0
    # One call of the chosen way in a hundred is lucky; the other is faster otherwise.
    simulated.noise = lambda way: 0.6 if way == 0 and simulated.calls[0] % 100 == 0 else 1.0
    run_for(call, simulated, 20.0)
    assert simulated.calls[1] > 10 * simulated.calls[0]


def test_ways_that_take_turns_in_being_the_fastest_do_not_recall_slow_ones(machine: Any) -> None:
    simulated = machine(0.001, 0.001, 0.1)
    call = simulated.ways()
    settle(call)
    simulated.noise = lambda way: 1.0 + 0.1 * ((int(simulated.now) + way) % 2)
    run_for(call, simulated, 500.0)
    simulated.calls = [0, 0, 0]
    run_for(call, simulated, 500.0)
    assert min(simulated.calls[:2]) > 1000 and simulated.calls[2] <= 5 * ways.FEW_TRIALS


def test_a_single_way_is_never_compared(machine: Any) -> None:
    simulated = machine(0.001)
    call = simulated.ways()
    assert settle(call) == 0
    run_for(call, simulated, 10.0)
    assert chosen(call) == 0
