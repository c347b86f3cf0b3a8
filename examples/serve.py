"""Export a model as a SavedModel, load it without its code, and serve it over HTTP as JSON.

    python examples/serve.py [--requests 3]
    python examples/serve.py --port 8501        # serve until interrupted

    curl -d '{"instances": [[0.5, 1.0]]}' http://localhost:8501/predict

Loading runs no code from the folder. TensorFlow Serving takes the same folder.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

import tapeflow as tf

keras = tf.keras


def export_model(folder: str) -> None:
    """Train a model that adds two numbers, and save it with its serving signature."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((2,), name="x"), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.05), "mse")
    x = np.random.default_rng(0).normal(size=(512, 2)).astype("float32")
    model.fit(x, x.sum(axis=1), epochs=10, verbose=0)
    tf.saved_model.save(model, folder)


def make_server(folder: str, port: int = 0) -> ThreadingHTTPServer:
    """Return a server that answers POST requests with predictions."""
    signature = tf.saved_model.load(folder).signatures["serving_default"]
    (name,) = signature.structured_input_signature[1]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                instances = tf.constant(json.loads(body)["instances"], tf.float32)
                (output,) = signature(**{name: instances}).values()
                self.answer(200, {"predictions": output.numpy().tolist()})
            except (KeyError, TypeError, ValueError, tf.errors.OpError) as error:
                self.answer(400, {"error": str(error)})

        def answer(self, status: int, content: dict[str, Any]) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing for each request."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def ask(url: str, instances: list[list[float]]) -> list[list[float]]:
    request = urllib.request.Request(url, json.dumps({"instances": instances}).encode())
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["predictions"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a SavedModel over HTTP.")
    parser.add_argument("--requests", type=int, default=3, help="how many to try")
    parser.add_argument("--port", type=int, help="serve on this port until interrupted")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        export_model(folder)
        with make_server(folder, options.port or 0) as server:
            if options.port:
                server.serve_forever()
                return
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            for number in range(options.requests):
                ((answer,),) = ask(f"http://127.0.0.1:{server.server_port}", [[number, 0.5]])
                print(f"{number} + 0.5 = {answer:.2f}")
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    main()
