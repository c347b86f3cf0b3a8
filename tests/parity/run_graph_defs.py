"""Run GraphDefs in TensorFlow: names and values in, values out, through files.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.run_graph_defs <questions> <answers>

The questions are a pickled list of (GraphDef bytes, {input: array}, [output], {handle: array}), the
last for variables; the answers are appended one by one as they are found: a pickled list of arrays,
those of the outputs and what the variables hold in the end, or the text of an error.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf


def answer(
    data: bytes, feed: dict[str, Any], fetch: list[str], variables: dict[str, Any]
) -> list[Any] | str:
    message = tf.compat.v1.GraphDef.FromString(data)
    try:
        with tf.Graph().as_default() as graph:
            made = {
                name: tf.compat.v1.Variable(value, use_resource=True)
                for name, value in variables.items()
            }
            handles = {name: variable.handle for name, variable in made.items()}
            tf.graph_util.import_graph_def(message, input_map=handles, name="")
            with tf.compat.v1.Session(graph=graph) as session:
                session.run([variable.initializer for variable in made.values()])
                found = session.run(fetch, feed)
                return [*found, *session.run([v.read_value() for v in made.values()])]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    questions = pickle.loads(Path(sys.argv[1]).read_bytes())
    with Path(sys.argv[2]).open("ab") as file:
        for question in questions:
            pickle.dump(answer(*question), file)
            file.flush()


if __name__ == "__main__":
    main()
