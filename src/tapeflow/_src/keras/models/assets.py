"""Files that layers keep beside their weights, such as vocabularies, in `.keras` archives.

A layer that defines `save_assets(dir_path)` writes its files to a folder, and `load_assets` reads
them from one; in the archive they are below `assets/`, at the path of the layer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tapeflow._src.keras.models.saved_layers import saved_layers

_FOLDER = "assets"


def write_assets(model: Any, archive: Any) -> None:
    """Write the files of all layers that have some to an archive that is open for writing."""
    for name, file in asset_files(model):
        archive.write(file, f"{_FOLDER}/{name}")


def asset_files(model: Any) -> Iterator[tuple[str, Path]]:
    """The files of all layers, by name below the folder of assets; each exists for one turn."""
    for path, layer in saved_layers(model):
        if not hasattr(layer, "save_assets"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            layer.save_assets(folder)
            for file in sorted(Path(folder).rglob("*")):
                yield f"{path}{file.relative_to(folder).as_posix()}", file


@contextmanager
def copied_assets(archive: Any) -> Iterator[Path | None]:
    """The folder of the files of an archive's layers, for the block; None if there are none."""
    names = [name for name in archive.names() if name.startswith(f"{_FOLDER}/")]
    if not names:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in names:
            _copy(archive, name, root / name)
        yield root / _FOLDER


def _copy(archive: Any, name: str, target: Path) -> None:
    try:
        if name.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            archive.copy(name, file)
    except OSError as error:
        raise ValueError(f"The member '{name}' of the archive is no file: {error}") from error


def load_assets(model: Any, folder: Path | None) -> None:
    """Let the layers of a model read their files."""
    if folder is None:
        return
    for path, layer in saved_layers(model):
        if hasattr(layer, "load_assets"):
            own = folder / path
            layer.load_assets(str(own) if own.exists() else None)
