"""Names under which classes of Tapeflow show themselves while it stands in for TensorFlow.

Libraries that must not import TensorFlow recognise its objects by the name and the module of their
classes. Both stay importable: `private_names` lists the modules.
"""

from __future__ import annotations

from tapeflow._src.standin.private_modules import resolved

_SHOWN_AS = {
    "tf.RaggedTensor": "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensor",
    "tf.SparseTensor": "tensorflow.python.framework.sparse_tensor.SparseTensor",
    "tf.Tensor": "tensorflow.python.framework.tensor.Tensor",
    "tf.data.Dataset": "tensorflow.python.data.ops.dataset_ops.DatasetV2",
}
_own: dict[type, tuple[str, str]] = {}


def show_as_tensorflow() -> None:
    """Give the classes the names that they have in TensorFlow."""
    for target, shown in _SHOWN_AS.items():
        cls: type = resolved(target)
        _own.setdefault(cls, (cls.__module__, cls.__qualname__))
        module, _, name = shown.rpartition(".")
        _rename(cls, module, name)


def show_as_tapeflow() -> None:
    """Give the classes their own names back."""
    for cls, (module, name) in _own.items():
        _rename(cls, module, name)
    _own.clear()


def _rename(cls: type, module: str, name: str) -> None:
    cls.__module__ = module
    cls.__name__ = cls.__qualname__ = name
