"""`tf.config.threading`: numbers of threads."""

from __future__ import annotations

from tapeflow._src.backends import blas, onednn


class _Threads:
    inter = 0
    intra = 0


_threads = _Threads()


def _count(num_threads: int) -> int:
    if isinstance(num_threads, bool) or not isinstance(num_threads, int):
        raise TypeError(f"num_threads must be an int, got {num_threads!r}.")
    if num_threads < 0:
        raise ValueError(f"num_threads must not be negative, got {num_threads}.")
    return num_threads


def get_inter_op_parallelism_threads() -> int:
    """Return the number of ops that may run in parallel; 0 means automatic.

    Returns:
        An int.

    Example:
        >>> tf.config.threading.get_inter_op_parallelism_threads() >= 0
        True
    """
    return _threads.inter


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of ops that may run in parallel; ops are run sequentially regardless.

    Args:
        num_threads: A number; 0 for automatic.

    Returns:
        None.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is negative.
    """
    _threads.inter = _count(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """Return the number of threads of one op; 0 means automatic.

    Returns:
        An int.

    Example:
        >>> tf.config.threading.get_intra_op_parallelism_threads() >= 0
        True
    """
    return _threads.intra


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads of matrix products, convolutions and pools.

    Args:
        num_threads: A number; 0 for automatic.

    Returns:
        None.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is negative.
    """
    _threads.intra = _count(num_threads)
    onednn.set_num_threads(num_threads)
    if num_threads:
        blas.set_num_threads(num_threads)
