"""The public namespace `tf.keras.backend.experimental`, as Keras 2 had it."""

from __future__ import annotations

from tapeflow._src.internal.user_warnings import warn_user as _warn_user


def enable_tf_random_generator() -> None:
    """Let layers draw from generators with a state of their own: they always do."""


def disable_tf_random_generator() -> None:
    """Warn that layers always draw from generators with a state of their own."""
    _warn_user(
        "Layers draw from `keras.random.SeedGenerator`s, and there is no other implementation: "
        "`disable_tf_random_generator()` has no effect."
    )


def is_tf_random_generator_enabled() -> bool:
    """Return True: layers draw from generators with a state of their own."""
    return True
