"""`tf.test.TestCase`: sessions, threads, temporary files, and all assertions."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow._src.api.random.stateful import set_seed
from tapeflow._src.api.test.array_assertions import ArrayAssertions
from tapeflow._src.api.test.assertions import Assertions
from tapeflow._src.api.test.evaluation import evaluate, is_tensor
from tapeflow._src.api.test.files import TempDir, TempFile, TempFileCleanup, make_file
from tapeflow._src.core import default_session
from tapeflow._src.core.types import TensorLike
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.sessions import Session, default_graph

# Tests start with the same random numbers.
_SEED = 87654321


class TestCase(ArrayAssertions, Assertions):
    """A `unittest.TestCase` for tensors. Each test starts with the same seeds.

    Args:
        methodName: The name of the test method.

    Example:
        >>> case = tf.test.TestCase()
        >>> case.assertAllClose(tf.constant([1.0, 2.0]) * 2.0, [2.0, 4.0])
    """

    tempfile_cleanup = TempFileCleanup.ALWAYS

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._folder: Path | None = None
        self._session: Session | None = None
        self._threads: list[CheckedThread] = []
        self._properties: dict[str, Any] = {}

    def setUp(self) -> None:
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def tearDown(self) -> None:
        for thread in self._threads:
            self.assertFalse(thread.is_alive(), "A checkedThread did not terminate")
        self._threads.clear()
        if self._session is not None:
            self._session.close()
            self._session = None
        super().tearDown()

    def record_property(self, property_name: str, property_value: Any) -> None:
        """Record a property of this test.

        Args:
            property_name: The name.
            property_value: The value.
        """
        self._properties[property_name] = property_value

    def get_recorded_properties(self, subtest: Any = None) -> dict[str, Any]:
        """Return the recorded properties.

        Args:
            subtest: Accepted for compatibility.
        """
        return dict(self._properties)

    def enter_context(self, manager: Any) -> Any:
        """Enter a context manager that is exited at the end of the test.

        Args:
            manager: The context manager.

        Returns:
            The value that it returns on entry.
        """
        return self.enterContext(manager)

    # -- values ------------------------------------------------------------------------------

    def evaluate(self, tensors: Any) -> Any:
        """Evaluate a structure of tensors; in a graph by the default or cached session.

        Args:
            tensors: Tensors, in any nesting.

        Returns:
            The structure with NumPy values.

        Example:
            >>> tf.test.TestCase().evaluate({"x": tf.constant([1, 2])})
            {'x': array([1, 2], dtype=int32)}
        """
        if tracing() and default_session.current() is None:
            with self.cached_session() as session:
                return session.run(tensors)
        return evaluate(tensors)

    def evaluate_if_both_tensors(self, a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
        """Evaluate both if both are tensors, else return both unchanged.

        Args:
            a: Any value.
            b: Any value.
        """
        if is_tensor(a) and is_tensor(b):
            return self.evaluate(a), self.evaluate(b)
        return a, b

    # -- sessions ----------------------------------------------------------------------------

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Yield a session for the block. None in eager mode: use `self.evaluate`.

        Args:
            graph: The graph; the current one by default.
            config: Accepted for compatibility.
            use_gpu: Accepted for compatibility.
            force_gpu: Accepted for compatibility.
        """
        if not tracing() and graph is None:
            yield _NoSession()
        else:
            with Session(graph=graph, config=config) as session:
                yield session

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Yield the cached session of this test; in eager mode, one that evaluates.

        Args:
            graph: The graph; the current one by default.
            config: Accepted for compatibility.
            use_gpu: Accepted for compatibility.
            force_gpu: Accepted for compatibility.
        """
        if not tracing() and graph is None:
            yield EagerSession()
            return
        target = default_graph.default_graph() if graph is None else graph
        if self._session is None or self._session.graph is not target:
            self._session = Session(graph=target, config=config)
        within = nullcontext() if graph is None else graph.as_default()
        with within, self._session.as_default():
            yield self._session

    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Any:
        """Yield `session` if a graph is passed, else `cached_session`.

        Args:
            graph: The graph; the current one by default.
            config: Accepted for compatibility.
            use_gpu: Accepted for compatibility.
            force_gpu: Accepted for compatibility.
        """
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        choose = self.cached_session if graph is None else self.session
        return choose(graph, config, use_gpu, force_gpu)

    # -- threads and streams -----------------------------------------------------------------

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> CheckedThread:
        """Create a thread whose error is raised where it is joined.

        Args:
            target: The function to run.
            args: Its positional arguments.
            kwargs: Its keyword arguments.

        Returns:
            A thread with `start`, `join` and `is_alive`.
        """
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """Capture everything written to the file of a stream in the block.

        Args:
            stream: A stream with a file, such as `sys.stderr`.

        Returns:
            A context manager, whose value has `contents()`.
        """
        stream.flush()
        number = stream.fileno()
        saved = os.dup(number)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), number)
            captured = CapturedWrites(file)
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(saved, number)
                os.close(saved)
                captured.finish()

    # -- files -------------------------------------------------------------------------------

    def get_temp_dir(self) -> str:
        """Return a temporary folder, removed at the end of the test."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=f"{self._testMethodName}_"))
            if self.tempfile_cleanup is TempFileCleanup.ALWAYS:
                self.addCleanup(self._remove_folder)
        return str(self._folder)

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> TempDir:
        """Create a folder in the temporary folder of this test.

        Args:
            cleanup: Accepted for compatibility.

        Returns:
            An object with `full_path` and further methods.
        """
        return TempDir(Path(self.get_temp_dir())).mkdir(name)

    def create_tempfile(
        self,
        file_path: str | None = None,
        content: Any = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
        cleanup: Any = None,
    ) -> TempFile:
        """Create a file in the temporary folder of this test.

        Args:
            file_path: The path inside of the folder; a new name by default.
            content: What to write: text, bytes or lines.
            mode: "w" or "wb".
            encoding: The encoding of text.
            errors: How encoding errors are handled.
            cleanup: Accepted for compatibility.

        Returns:
            An object with `full_path` and further methods.
        """
        folder = Path(self.get_temp_dir())
        return make_file(folder, file_path, content, mode, encoding, errors)


class EagerSession:
    """A substitute for a session in eager mode: it evaluates tensors."""

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Evaluate `fetches`; nothing can be fed."""
        if kwargs.pop("feed_dict", None) or args:
            raise RuntimeError(
                "feed_dict needs a graph and a session; eagerly, compute with the values "
                "themselves."
            )
        return evaluate(fetches)


class _NoSession:
    """The result of `session()` in eager mode."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"self.session() gives no session while eager execution is enabled, and so no "
            f"{name!r}: use self.evaluate(), or build a graph: `with tf.Graph().as_default()`."
        )


class CheckedThread:
    """A thread whose error fails the test that joins it."""

    def __init__(self, case: Any, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._case = case
        self._error: BaseException | None = None

        def run() -> None:
            try:
                target(*(args or ()), **(kwargs or {}))
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the thread; its error fails the test."""
        self._thread.join()
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()


class CapturedWrites:
    """The captured output of a stream."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._text: str | None = None

    def contents(self) -> str:
        """Return everything written so far."""
        if self._text is not None:
            return self._text
        self._file.seek(0)
        text: str = self._file.read().decode(errors="replace")
        self._file.seek(0, os.SEEK_END)
        return text

    def finish(self) -> None:
        """Keep the contents: the file is removed."""
        self._text = self.contents()
