"""The version of Keras whose interface and files these are."""

__version__ = "3.15.0"


def version() -> str:
    """Return the version of Keras whose interface and files these are.

    Returns:
        A string.

    Example:
        >>> tf.keras.version()[0]
        '3'
    """
    return __version__
