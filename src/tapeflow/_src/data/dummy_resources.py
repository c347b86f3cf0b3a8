"""Resources that TensorFlow's ops take; here, datasets hold that state themselves."""

from __future__ import annotations

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import op
from tapeflow._src.data.stage import HOST


class MemoryCache:
    """The resource in which TensorFlow's op caches elements.

    Here, the dataset caches them itself.
    """

    dtype = dtypes.resource
    value_dtype = dtypes.resource
    shape = ()
    ndim = 0
    size = 1


@op("DummyMemoryCache", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def dummy_memory_cache(xp):
    """Return a handle that ops take."""
    return MemoryCache()


class SeedGenerator:
    """The resource of seeds that TensorFlow's ops take; here, datasets hold their own."""

    dtype = dtypes.resource
    value_dtype = dtypes.resource
    shape = ()
    ndim = 0
    size = 1


@op("DummySeedGenerator", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def dummy_seed_generator(xp):
    """Return a handle that ops take."""
    return SeedGenerator()


class IterationCounter:
    """The resource that counts iterations over a dataset of a service."""

    dtype = dtypes.resource
    value_dtype = dtypes.resource
    shape = ()
    ndim = 0
    size = 1


@op("DummyIterationCounter", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def dummy_iteration_counter(xp):
    """Return a handle that ops take."""
    return IterationCounter()
