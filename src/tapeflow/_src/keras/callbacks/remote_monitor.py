"""`RemoteMonitor`: results of epochs, sent to a server."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.callbacks.callback import Callback

_SECONDS = 10


class RemoteMonitor(Callback):
    """Sends the results of each epoch by HTTP POST.

    A server that cannot be reached causes a warning, and training goes on.

    Args:
        root: Address of the server.
        path: Path on the server.
        field: Field of the form that holds the results as JSON; unused with `send_as_json`.
        headers: Headers of the request.
        send_as_json: Whether the body of the request is JSON rather than a form.

    Example:
        >>> monitor = tf.keras.callbacks.RemoteMonitor("http://localhost:9000", send_as_json=True)
        >>> monitor.path
        '/publish/epoch/end/'
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: dict[str, str] | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root = root
        self.path = path
        self.field = field
        self.headers = headers
        self.send_as_json = send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        data = {"epoch": epoch}
        data |= {
            name: getattr(value, "item", lambda v=value: v)()
            for name, value in (logs or {}).items()
        }
        text = json.dumps(data)
        if self.send_as_json:
            body, kind = text, "application/json"
        else:
            body = urllib.parse.urlencode({self.field: text})
            kind = "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind, **(self.headers or {})}
        request = urllib.request.Request(self.root + self.path, body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                answer.read()
        except (urllib.error.URLError, OSError) as error:
            warn_user(f"RemoteMonitor could not reach {self.root}{self.path}: {error}")
