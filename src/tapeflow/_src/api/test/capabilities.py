"""Available devices and compilers."""

from __future__ import annotations

import platform

_FAMILIES = {"x86_64": "x86", "AMD64": "x86", "i686": "x86", "arm64": "aarch64"}


def gpu_device_name() -> str:
    """Return the name of a GPU: "", as there is none."""
    return ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether there is a GPU that ops run on."""
    return False


def is_built_with_cuda() -> bool:
    """Whether ops can run on GPUs by CUDA."""
    return False


def is_built_with_rocm() -> bool:
    """Whether ops can run on GPUs by ROCm."""
    return False


def is_built_with_gpu_support() -> bool:
    """Whether ops can run on GPUs."""
    return False


def is_built_with_xla() -> bool:
    """Whether functions can be compiled by XLA."""
    return True


def is_cpu_target_available(target: str) -> bool:
    """Whether code is compiled for processors of this family: "x86", "aarch64" …"""
    machine = platform.machine()
    return target == _FAMILIES.get(machine, machine)
