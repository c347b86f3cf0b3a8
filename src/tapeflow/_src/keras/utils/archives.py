"""Archives unpacked so that no member lands outside the folder that was chosen for it."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from typing import Any

from tapeflow._src.internal.files import partial_folder
from tapeflow._src.internal.user_warnings import warn_user

_OPENERS: dict[str, Any] = {
    "tar": (tarfile.is_tarfile, tarfile.open),
    "zip": (zipfile.is_zipfile, zipfile.ZipFile),
}


def extract_archive(file_path: Any, path: Any = ".", archive_format: Any = "auto") -> bool:
    """Unpack a tar or zip file into the folder `path`.

    Members are unpacked into a temporary folder beside `path` first: an archive that is damaged
    in the middle leaves `path` as it was. Members that would leave the folder are skipped with a
    warning.

    Args:
        archive_format: `"tar"`, `"zip"`, a list of them, `"auto"` for both, or None.

    Returns:
        Whether the file was an archive of one of these formats.
    """
    formats = ["tar", "zip"] if archive_format == "auto" else archive_format or []
    file_path, path = os.fspath(file_path), os.path.abspath(os.fspath(path))
    for name in [formats] if isinstance(formats, str) else formats:
        if name not in _OPENERS:
            raise NotImplementedError(
                f"`archive_format` must be 'auto', 'tar', 'zip' or None. Received: {name!r}"
            )
        matches, opener = _OPENERS[name]
        if matches(file_path):
            with opener(file_path) as archive:
                _unpack(archive, path)
            return True
    return False


def _unpack(archive: Any, path: str) -> None:
    with partial_folder(path) as folder:
        if isinstance(archive, zipfile.ZipFile):
            archive.extractall(folder, members=_safe_zip_members(archive, folder))
        else:
            archive.extractall(folder, members=_safe_tar_members(archive, folder))
        if os.path.lexists(path):
            shutil.copytree(folder, path, symlinks=True, dirs_exist_ok=True)
        else:
            os.rename(folder, path)


def _safe_zip_members(archive: zipfile.ZipFile, folder: str) -> Iterator[zipfile.ZipInfo]:
    root = os.path.realpath(folder)
    for member in archive.infolist():
        if _stays_inside(root, member.filename):
            yield member
        else:
            _skip(member.filename)


def _safe_tar_members(archive: tarfile.TarFile, folder: str) -> Iterator[tarfile.TarInfo]:
    """Yield the members to unpack, one by one: a link of an earlier one is followed by the check.

    Modes, owners and devices are reduced to what Python's `data` filter accepts.
    """
    root = os.path.realpath(folder)
    for member in archive:
        try:
            if not _stays_inside(root, member.name):
                raise tarfile.OutsideDestinationError(member, root)
            yield tarfile.data_filter(member, root)
        except tarfile.FilterError:
            _skip(member.name)


def _stays_inside(root: str, name: str) -> bool:
    """Whether a member, links on the way resolved, is below `root`."""
    target = os.path.realpath(os.path.join(root, name))
    return target == root or target.startswith(root + os.sep)


def _skip(name: str) -> None:
    warn_user(
        f"Archive member {name!r} was skipped: its path or its link leaves the folder it is "
        f"unpacked into."
    )
