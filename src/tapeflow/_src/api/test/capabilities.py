"""Available devices and compilers."""

from __future__ import annotations

import platform

_FAMILIES = {"x86_64": "x86", "AMD64": "x86", "i686": "x86", "arm64": "aarch64"}


def gpu_device_name() -> str:
    """Return the name of a GPU: "", as there is none.

    Returns:
        A string.

    Example:
        >>> tf.test.gpu_device_name()
        ''
    """
    return ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Return whether there is a GPU that ops run on.

    Args:
        cuda_only: Whether the GPU must support CUDA.
        min_cuda_compute_capability: The least capability.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_gpu_available()
        False
    """
    return False


def is_built_with_cuda() -> bool:
    """Return whether ops can run on GPUs by CUDA.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_built_with_cuda()
        False
    """
    return False


def is_built_with_rocm() -> bool:
    """Return whether ops can run on GPUs by ROCm.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_built_with_rocm()
        False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Return whether ops can run on GPUs.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_built_with_gpu_support()
        False
    """
    return False


def is_built_with_xla() -> bool:
    """Return whether functions can be compiled by XLA.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_built_with_xla()
        True
    """
    return True


def is_cpu_target_available(target: str) -> bool:
    """Return whether code is compiled for processors of this family: "x86", "aarch64" …

    Args:
        target: The family.

    Returns:
        A bool.

    Example:
        >>> tf.test.is_cpu_target_available("x86") in (True, False)
        True
    """
    machine = platform.machine()
    return target == _FAMILIES.get(machine, machine)
