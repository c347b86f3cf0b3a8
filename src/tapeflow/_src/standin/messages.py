"""`tensorflow.core.…_pb2`: modules of protobuf messages, which are Tapeflow's."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core import protos


class MessagesModule(ModuleType):
    """A module of messages: names are looked up among all messages, and in their enums."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        message = _message(name)
        if message is None:
            raise AttributeError(
                f"{self.__name__} has no {name!r} here: Tapeflow has the messages of graphs, "
                "models, checkpoints, examples, events and configurations."
            )
        setattr(self, name, message)
        return message


def messages_module(fullname: str) -> ModuleType:
    """Return the module of that name."""
    return MessagesModule(fullname, "Messages of TensorFlow, served by Tapeflow.")


def _message(name: str) -> Any:
    try:
        return getattr(protos, name)
    except AttributeError:
        pass
    # `types_pb2.DT_FLOAT`: values of enums are names of the module, too.
    return getattr(protos.DataType, name, None) if name.startswith("DT_") else None
