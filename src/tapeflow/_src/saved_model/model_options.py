"""How SavedModels are written and loaded."""

from __future__ import annotations

from typing import Any


class SaveOptions:
    """Options of `tf.saved_model.save`.

    A model is one message (2 GB at most) without debugging information, its gradients are those of
    its operations, and ops of other namespaces need no permission: options about these are accepted
    and change nothing.

    Args:
        namespace_whitelist: Accepted for compatibility.
        save_debug_info: Accepted for compatibility.
        function_aliases: Functions by further names that the model stores.
        experimental_debug_stripper: Accepted for compatibility.
        experimental_io_device: Accepted for compatibility.
        experimental_variable_policy: Accepted for compatibility.
        experimental_custom_gradients: Accepted for compatibility.
        experimental_image_format: Accepted for compatibility.
        experimental_skip_saver: Whether to leave out the operations that save and restore the
            variables in graphs.
        experimental_sharding_callback: Accepted for compatibility.
        extra_tags: Further tags of the model, besides "serve".

    Example:
        >>> options = tf.saved_model.SaveOptions(extra_tags=["small"])
        >>> tf.saved_model.save(tf.Module(), "tagged", options=options)
    """

    __slots__ = (
        "experimental_custom_gradients",
        "experimental_debug_stripper",
        "experimental_image_format",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_saver",
        "experimental_variable_policy",
        "extra_tags",
        "function_aliases",
        "namespace_whitelist",
        "save_debug_info",
    )

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: dict[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: Any = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.namespace_whitelist = list(namespace_whitelist or ())
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """Options of `tf.saved_model.load`.

    In `safe_mode`, which no other library has, a model whose functions read or write files (other
    than its own assets) or call Python functions is refused with PermissionDeniedError, as are
    assets that are links to files outside of the model's folder.

    Args:
        allow_partial_checkpoint: Whether variables that the files lack are zero.
        experimental_io_device: Accepted for compatibility.
        experimental_skip_checkpoint: Whether all variables are zero.
        experimental_variable_policy: Accepted for compatibility.
        experimental_load_function_aliases: Accepted for compatibility.
        safe_mode: Pass False for models whose source you trust.

    Example:
        >>> options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        >>> module = tf.Module()
        >>> module.v = tf.Variable(3.0)
        >>> tf.saved_model.save(module, "model")
        >>> tf.saved_model.load("model", options=options).v.numpy()
        np.float32(0.0)
    """

    __slots__ = (
        "allow_partial_checkpoint",
        "experimental_io_device",
        "experimental_load_function_aliases",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
        "safe_mode",
    )

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
        *,
        safe_mode: bool = True,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.safe_mode = safe_mode
