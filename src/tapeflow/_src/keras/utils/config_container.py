"""`Config`: named values, as attributes and as items, which can be frozen."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

_OWN = ("_config", "_frozen")


class Config:
    """A dict of settings with attribute access, which can be frozen and written as JSON.

    >>> config = tf.keras.utils.Config(rate=0.1)
    >>> config.steps = 5
    >>> config["steps"], config.rate
    (5, 0.1)
    """

    def __init__(self, **kwargs: Any) -> None:
        self._config = kwargs
        self._frozen = False

    @property
    def frozen(self) -> bool:
        """Whether values cannot be changed."""
        return self._frozen

    def freeze(self) -> None:
        """Refuse changes from now on.

        Example:
            >>> config = tf.keras.utils.Config(rate=0.1)
            >>> config.freeze()
            >>> config.frozen
            True
        """
        self._frozen = True

    def unfreeze(self) -> None:
        """Allow changes again."""
        self._frozen = False

    def _changeable(self) -> dict[str, Any]:
        if self._frozen:
            raise ValueError("The config is frozen: call `unfreeze()` before changing it.")
        return self._config

    def as_dict(self) -> dict[str, Any]:
        """Return the values as a new dict."""
        return dict(self._config)

    def to_json(self) -> str:
        """Return the values as JSON."""
        return json.dumps(self._config)

    def keys(self) -> Any:
        """Return the names."""
        return self._config.keys()

    def values(self) -> Any:
        """Return the values."""
        return self._config.values()

    def items(self) -> Any:
        """Return pairs of names and values."""
        return self._config.items()

    def pop(self, *args: Any) -> Any:
        """Remove a value and return it, as `dict.pop` does."""
        return self._changeable().pop(*args)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several values, as `dict.update` does."""
        self._changeable().update(*args, **kwargs)

    def get(self, keyname: str, value: Any = None) -> Any:
        """Return a value, or `value` if there is none of that name.

        Args:
            keyname: The name.
            value: Result if there is no value of that name.

        Example:
            >>> tf.keras.utils.Config(rate=0.1).get("steps", 5)
            5
        """
        return self._config.get(keyname, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            object.__setattr__(self, name, value)
        elif name in dir(type(self)):
            raise AttributeError(f"`Config.{name}` is a method: use config[{name!r}] instead.")
        else:
            self._changeable()[name] = value

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_config", {})
        if name in values:
            return values[name]
        close = difflib.get_close_matches(name, values, n=1, cutoff=0.7)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise AttributeError(f"The config has no value {name!r}.{hint}")

    def __setitem__(self, key: str, item: Any) -> None:
        self._changeable()[key] = item

    def __getitem__(self, key: str) -> Any:
        return self._config[key]

    def __delitem__(self, key: str) -> None:
        del self._changeable()[key]

    def __contains__(self, item: Any) -> bool:
        return item in self._config

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._config))

    def __len__(self) -> int:
        return len(self._config)

    def __repr__(self) -> str:
        return f"<Config {self._config}>"
