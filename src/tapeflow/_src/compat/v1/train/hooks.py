"""Hooks of training loops with sessions."""

from __future__ import annotations

from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """The fetches and feeds that a hook adds to a call of `Session.run`."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """The values that a call of `Session.run` returned for a hook."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A call of `Session.run`, as its hooks see it."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """The arguments of the call."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has requested the end of the loop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Ask for the end of the loop after this call."""
        self._stop_requested = True


class SessionRunHook:
    """Callbacks around the steps of a session loop. Subclasses override what they need."""

    def begin(self) -> None:
        """Run once before the session is created; the graph may still change."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run when a session was created."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Run before each step; what it returns is fetched, too."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Run after each step, with the requested values."""

    def end(self, session: Any) -> None:
        """Run at the end of a session that no error ended."""
