"""The state of a program that a load touches, restored if the load fails."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow._src.keras import config
from tapeflow._src.keras.dtype_policies import policy
from tapeflow._src.keras.random import seed_generator
from tapeflow._src.keras.saving import object_registration
from tapeflow._src.keras.utils import naming


@contextmanager
def unchanged_on_failure() -> Iterator[None]:
    """If the block raises, leave names, seeds, settings and registered objects as they were."""
    names = naming.counts()
    numbers = random.getstate()
    seeds = seed_generator.global_state()
    values, policies = config.settings(), policy.global_policies()
    objects = object_registration.registered()
    try:
        yield
    except BaseException:
        naming.set_counts(names)
        random.setstate(numbers)
        seed_generator.set_global_state(seeds)
        config.set_settings(values)
        policy.set_global_policies(policies)
        object_registration.set_registered(objects)
        raise
