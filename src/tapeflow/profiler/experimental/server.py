"""`tf.profiler.experimental.server`: a service for profiles, which is refused."""

from tapeflow._src.api.profiler.remote import start as start

__all__ = ["start"]
