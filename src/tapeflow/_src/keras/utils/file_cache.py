"""`get_file`: files of the internet kept in Keras' cache folder, checked by their hashes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, BinaryIO

from tapeflow._src.internal.files import replacing
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.utils.archives import extract_archive
from tapeflow._src.keras.utils.console import print_message
from tapeflow._src.keras.utils.progbar import Progbar

_BLOCK = 1 << 16
_SHA256_DIGITS = 64


def keras_home() -> str:
    """Return the cache folder: `$KERAS_HOME`, or `.keras` in the home folder of the user."""
    return os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")


def get_file(
    fname: Any = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
    force_download: bool = False,
) -> str:
    """Return the path of a file in the cache, after downloading it if it is not there.

    Args:
        fname: the name in the cache; by default the last part of `origin`. With `extract`, the
            name of the folder the archive is unpacked into.
        origin: the URL; `file://` works as well.
        untar: like `extract=True, archive_format="tar"`. If the archive holds one folder with
            the name of the file, the path of that folder is returned, as in Keras 2.
        md5_hash: like `file_hash`, for MD5.
        file_hash: the expected SHA-256 or MD5 of the file, in hexadecimal digits. A cached file
            with another hash is downloaded again; a download with another hash is removed.
        cache_subdir: the folder below the cache folder.
        hash_algorithm: `"md5"`, `"sha256"`, or `"auto"`, which decides by the length of the hash.
        extract: whether to unpack the file as an archive.
        archive_format: `"tar"`, `"zip"`, a list of them, `"auto"` or None.
        cache_dir: the cache folder; by default `$KERAS_HOME`, or `~/.keras`.
        force_download: whether to download what is cached, too.

    Returns:
        The path of the file, or of the folder it was unpacked into.

    Raises:
        ConnectionError: if the file is not cached and cannot be downloaded.
        ValueError: if the download does not have the expected hash.
    """
    if origin is None:
        raise ValueError("`get_file` needs `origin`: the URL that the file is downloaded from.")
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    target, folder = _places(fname, origin, extract or untar)
    if folder is not None and is_keras_2():
        target = target.removesuffix("_archive").removesuffix(".tar.gz" if untar else "")
        target += ".tar.gz" if untar else ""
    base = os.path.join(os.path.expanduser(cache_dir or keras_home()), cache_subdir)
    base = _writable(base, target)
    target = os.path.join(base, target)
    fresh = force_download or not _is_cached(target, file_hash, hash_algorithm)
    if fresh:
        _download(origin, target, file_hash, hash_algorithm)
    if folder is None:
        return target
    if is_keras_2():
        return _unpacked_beside(target, base, untar, archive_format)
    folder = os.path.join(base, folder)
    if fresh or not os.path.isdir(folder):
        _unpack(target, folder, "tar" if untar else archive_format)
    return _without_nesting(folder) if untar else folder


def _unpack(target: str, folder: str, archive_format: Any) -> None:
    if not extract_archive(target, folder, archive_format):
        warn_user(
            f"{target} was not unpacked: it is not an archive of the format {archive_format!r}."
        )


def _unpacked_beside(target: str, base: str, untar: bool, archive_format: Any) -> str:
    """Unpack as Keras 2 does: beside the archive, whose path is returned unless `untar` is set."""
    _unpack(target, base, "tar" if untar else archive_format)
    if not untar:
        return target
    return os.path.join(base, os.path.basename(target).removesuffix(".tar.gz"))


def _without_nesting(folder: str) -> str:
    """Return the only thing in a folder, if that is a folder of the same name."""
    inner = os.path.join(folder, os.path.basename(folder).removesuffix("_extracted"))
    return inner if os.path.isdir(inner) and len(os.listdir(folder)) == 1 else folder


def _places(fname: Any, origin: str, unpacked: bool) -> tuple[str, str | None]:
    """Return the names of the file and of the folder for what is in it."""
    if not fname:
        name = os.path.basename(urllib.parse.urlsplit(origin).path)
        if not name:
            raise ValueError(f"{origin!r} has no file name at its end: pass one as `fname`.")
        return (f"{name}_archive", name) if unpacked else (name, None)
    name = os.fspath(fname)
    if os.sep in name:
        raise ValueError(
            f"`fname` must be a name without folders. Received: fname={name!r}; pass the folder "
            f"as `cache_dir` or `cache_subdir`."
        )
    if not unpacked:
        return name, None
    stem, dot, _ = name.partition(".")
    return (name, f"{stem}_extracted") if dot else (f"{name}_archive", name)


def _writable(folder: str, target: str) -> str:
    """Return the folder if it can be used, or one for temporary files instead of it."""
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
    if os.access(folder, os.W_OK) or os.path.exists(os.path.join(folder, target)):
        return folder
    replaced = os.path.join(tempfile.gettempdir(), ".keras", os.path.basename(folder))
    warn_user(f"The cache folder {folder} is not writable: files go to {replaced} instead.")
    os.makedirs(replaced, exist_ok=True)
    return replaced


def _is_cached(target: str, file_hash: str | None, algorithm: str) -> bool:
    if not os.path.exists(target):
        return False
    if file_hash is None or validate_file(target, file_hash, algorithm):
        return True
    print_message(f"{target} does not have the hash {file_hash}: it is downloaded again.")
    return False


def _download(origin: str, target: str, file_hash: str | None, algorithm: str) -> None:
    """Download a file, which takes the place of `target` when it is whole."""
    print_message(f"Downloading data from {origin}")
    with replacing(target) as file:
        _fetch(origin, file, target)
        file.flush()
        if file_hash is not None and not validate_file(file.name, file_hash, algorithm):
            raise ValueError(
                f"Incomplete or corrupted file: {origin} was expected to have the hash "
                f"{file_hash}, the download has {hash_file(file.name, algorithm, file_hash)}. It "
                f"was removed; try again, or pass the hash of the new version."
            )


def _fetch(origin: str, file: BinaryIO, target: str) -> None:
    try:
        with urllib.request.urlopen(origin) as response:
            size = response.headers.get("Content-Length")
            bar = Progbar(int(size) if size else None)
            done = 0
            while block := response.read(_BLOCK):
                file.write(block)
                done += len(block)
                bar.update(done)
            if size and done != int(size):
                raise urllib.error.URLError(f"received {done} of {size} bytes")
    except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
        code = f"{error.code} " if isinstance(error, urllib.error.HTTPError) else ""
        reason = getattr(error, "reason", error)
        raise ConnectionError(
            f"URL fetch failure on {origin}: {code}{reason}. If this machine has no connection, "
            f"download the file elsewhere and save it as {target}."
        ) from error


def hash_file(path: Any, algorithm: str = "sha256", file_hash: str | None = None) -> str:
    """Return the hash of a file as hexadecimal digits; `"auto"` is decided by `file_hash`."""
    long = file_hash is not None and len(file_hash) == _SHA256_DIGITS
    hasher: Any = hashlib.md5(usedforsecurity=False)
    if algorithm == "sha256" or (algorithm == "auto" and long):
        hasher = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            hasher.update(block)
    return hasher.hexdigest()


def validate_file(path: Any, file_hash: str, algorithm: str = "auto") -> bool:
    """Return whether a file has the expected hash."""
    return hash_file(path, algorithm, file_hash) == str(file_hash)
