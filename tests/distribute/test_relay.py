"""A relay connects its clients with an address that answers later than they call."""

from __future__ import annotations

import socket
import time

from tapeflow._src.distribute.relay import Relay
from tests.processes import addresses


def _client(relay: Relay) -> socket.socket:
    host, _, port = relay.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def test_a_client_that_calls_before_the_address_answers_is_connected() -> None:
    host, _, port = addresses(1)[0].rpartition(":")
    relay = Relay(host, int(port))
    try:
        with _client(relay) as client:
            client.sendall(b"hello")
            time.sleep(0.1)
            with socket.create_server((host, int(port))) as server:
                server.settimeout(10)
                with server.accept()[0] as upstream:
                    upstream.settimeout(10)
                    assert upstream.recv(5) == b"hello"
                    upstream.sendall(b"there")
                    assert client.recv(5) == b"there"
    finally:
        relay.close()
