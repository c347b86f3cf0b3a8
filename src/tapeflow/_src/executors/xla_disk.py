"""The on-disk cache of compiled programs, shared between processes.

A program is identified by its source: its text, the versions of the compiler, and the processor.
The file holds the compiler's own serialisation and nothing else: what JAX needs beside that to call
it follows from the lowered program, so that nothing is unpickled. `TAPEFLOW_CACHE_DIR` names the
folder; set but empty, it turns the cache off.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax._src.interpreters import pxla
from jaxlib import xla_client

from tapeflow._src.backends import jax_device, processor
from tapeflow._src.core.log import logger
from tapeflow._src.executors import program_files, xla_options
from tapeflow._src.executors.xla_options import Options, options


def compiled(lowered: Any, device: Any, old_emitter: bool = False) -> Any:
    """Compile a program lowered for `device`: load it from disk if cached, else store it there.

    old_emitter: see `xla_options.options`.
    """
    return compiled_and_content(lowered, device, old_emitter)[0]


def serialized(program: Any) -> bytes:
    """Return the compiler's serialisation of a program that it has compiled."""
    executable = program._executable.xla_executable
    content: bytes = executable.client.serialize_executable(executable)
    return content


def compiled_and_content(
    lowered: Any, device: Any, old_emitter: bool = False
) -> tuple[Any, bytes | None]:
    """Like `compiled`; also return the content of the file that the program was loaded from.

    A program that was loaded cannot be serialised with its code again.
    """
    text = lowered.as_text()
    split = jax_device.on_processors() and device is jax_device.device(split=True)
    compiler_options = options(text, split, old_emitter)
    folder = program_files.folder() if _is_plain(lowered) else None
    if folder is None:
        return xla_options.compiled(lowered, compiler_options), None
    path = program_files.entry(folder, _key(lowered, text, compiler_options, split))
    cached, content = _load(path, lowered, device)
    if cached is None:
        cached = xla_options.compiled(lowered, compiler_options)
        _store(path, cached)
    return cached, content


def _is_plain(lowered: Any) -> bool:
    """Whether a program for one device is fully described by its text, without callbacks and
    effects.
    """
    arguments = lowered._lowering.compile_args
    outside = ("unordered_effects", "ordered_effects", "keepalive", "host_callbacks", "mut")
    if lowered._lowering.const_args or arguments["num_devices"] != 1:
        return False
    return not any(arguments[name] for name in outside)


def _key(lowered: Any, text: str, compiler_options: Options, split: bool) -> str:
    digest = hashlib.sha256(_machine().encode())
    digest.update(f"{split} {compiler_options} {text}".encode())
    # The text omits unused arguments, but a call passes them all the same.
    digest.update(f"{lowered.args_info} {lowered.out_tree}".encode())
    return digest.hexdigest()


@cache
def _machine() -> str:
    """Return everything that compiled code depends on beside the program."""
    names = processor.features()
    flags = platform.processor() if names is None else " ".join(sorted(names))
    chosen = os.environ.get("XLA_FLAGS", "")
    parts = (jax.__version__, jaxlib.__version__, platform.machine(), flags, chosen)
    return "\n".join((*parts, jax.devices()[0].platform, str(jax.device_count())))


def _load(path: Path, lowered: Any, device: Any) -> tuple[Any, bytes | None]:
    content = program_files.read(path)
    if content is None:
        return None, None
    try:
        return _callable(content, lowered, device), content
    except Exception as error:
        # Intact, but unreadable for this compiler: it is compiled again.
        logger.debug("Cannot load the compiled program %s: %s", path, error)
        program_files.remove(path)
        return None, None


def _callable(content: bytes, lowered: Any, device: Any) -> Any:
    """Wrap a deserialised program as JAX calls it: on one device, in default layouts."""
    devices = xla_client.DeviceList((device,))
    executable = device.client.deserialize_executable(content, executable_devices=devices)
    arguments = lowered._lowering.compile_args
    inputs, outputs = arguments["global_in_avals"], arguments["global_out_avals"]
    sharding = jax.sharding.SingleDeviceSharding(device)
    parameters = {
        **arguments,
        "xla_executable": executable,
        "device_list": devices,
        "name": lowered._lowering._name,
        "input_avals": inputs,
        "output_avals": outputs,
        "input_shardings": [sharding] * len(inputs),
        "output_shardings": [sharding] * len(outputs),
        "xla_in_layouts": [None] * len(inputs),
        "dispatch_in_layouts": [None] * len(inputs),
        "xla_out_layouts": [None] * len(outputs),
    }
    fields = [field.name for field in dataclasses.fields(pxla.UnloadedMeshExecutable)]
    unloaded = pxla.UnloadedMeshExecutable(**{name: parameters[name] for name in fields})
    return jax.stages.Compiled(
        unloaded.load(), [], lowered.args_info, lowered.out_tree, lowered._no_kwargs
    )


def _store(path: Path, program: Any) -> None:
    try:
        program_files.write(path, serialized(program))
    except Exception as error:
        # A full disk, or a program that the compiler cannot serialise: it runs all the same.
        logger.debug("Cannot keep the compiled program %s: %s", path, error)
