"""The version of Keras whose interface and files these are."""

__version__ = "3.15.0"


def version() -> str:
    """The version as text."""
    return __version__
