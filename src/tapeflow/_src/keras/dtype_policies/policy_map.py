"""`DTypePolicyMap`: dtype policies of the layers inside a layer, by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from typing import Any

from tapeflow._src.keras.dtype_policies.policy import DTypePolicy, get
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import DTYPE_POLICY
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class DTypePolicyMap(DTypePolicy, MutableMapping[str, DTypePolicy]):
    """A policy for each path; a key is a path or a regular expression that matches it whole.

    Args:
        default_policy: The policy of paths that no key matches; None for the global one.
        policy_map: Policies by key.

    Example:

    >>> policies = tf.keras.dtype_policies.DTypePolicyMap("float32")
    >>> policies["encoder/.*"] = "mixed_float16"
    >>> policies["encoder/dense"].name
    'mixed_float16'
    """

    def __init__(
        self, default_policy: Any = None, policy_map: dict[str, DTypePolicy] | None = None
    ) -> None:
        if isinstance(default_policy, DTypePolicyMap):
            raise ValueError("`default_policy` must be a single policy. Received: a DTypePolicyMap")
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(
                f"`policy_map` must be a dict of policies by path. Received: {policy_map!r} of "
                f"type {type(policy_map).__name__}"
            )
        self._default_policy_arg = default_policy
        self._default_policy = get(default_policy)
        self._policy_map = policy_map or {}

    @property
    def name(self) -> str:
        return f"map_{self.default_policy.name}"

    @property
    def default_policy(self) -> DTypePolicy:
        """The policy of paths that no key matches."""
        return self._default_policy

    @property
    def variable_dtype(self) -> str:
        return self.default_policy.variable_dtype

    @property
    def compute_dtype(self) -> str:
        return self.default_policy.compute_dtype

    @property
    def quantization_mode(self) -> str | None:  # type: ignore[override]
        """The mode of quantization of the default policy."""
        return self.default_policy.quantization_mode

    def for_path(self, path: str | None) -> DTypePolicy:
        return self[path] if path else self.default_policy

    def with_path(self, path: str | None, policy: DTypePolicy) -> DTypePolicy:
        if not path:
            return policy
        self._policy_map[path] = policy
        return self

    def __getitem__(self, key: str) -> DTypePolicy:
        if key in self._policy_map:
            return self._policy_map[key]
        keys = [pattern for pattern in self._policy_map if re.fullmatch(pattern, key)]
        if len(keys) > 1:
            raise ValueError(
                f"Several keys of the DTypePolicyMap match the path '{key}': {keys}. At most one "
                f"may."
            )
        return self._policy_map[keys[0]] if keys else self.default_policy

    def __setitem__(self, key: str, policy: Any) -> None:
        if key in self._policy_map:
            raise ValueError(
                f"The DTypePolicyMap has a policy for '{key}' already: {self._policy_map[key]}. "
                f"Delete it to set another."
            )
        self._policy_map[key] = get(policy)

    def __delitem__(self, key: str) -> None:
        del self._policy_map[key]

    def pop(self, key: str, *default: Any) -> Any:
        """Remove the policy of a key, and return it.

        Args:
            key: A path or regular expression.
            *default: Result if there is no such key.

        Raises:
            KeyError: There is no such key, and no default.
        """
        return self._policy_map.pop(key, *default)

    def __contains__(self, key: Any) -> bool:
        return key in self._policy_map

    def __len__(self) -> int:
        return len(self._policy_map)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._policy_map)

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def get_config(self) -> dict[str, Any]:
        policies = serialize_keras_object(self._policy_map)
        default = self._default_policy_arg
        if isinstance(default, DTypePolicy):
            default = serialize_keras_object(default)
        elif default is None:
            # Each policy follows the global one of the program that reads it.
            for config in policies.values():
                name = "source_name" if "source_name" in config["config"] else "name"
                config["config"][name] = None
        return {"default_policy": default, "policy_map": policies}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        policies = {
            key: read_object(policy, DTYPE_POLICY, custom_objects)
            for key, policy in (config.get("policy_map") or {}).items()
        }
        return cls(config.get("default_policy"), policies)

    def __repr__(self) -> str:
        mapping = [(key, policy.name) for key, policy in self._policy_map.items()]
        return f"<DTypePolicyMap default_policy={self._default_policy.name}, mapping={mapping}>"
