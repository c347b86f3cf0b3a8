"""Records what TensorFlow returns for the cases of `regex_cases` (run it with TensorFlow's Python):

python -m tests.parity.record_regex
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

from tests.parity.regex_cases import Case, cases

RECORD = Path(__file__).parents[1] / "golden" / "regex.json"


def _recorded(case: Case) -> list[object]:
    """The full match, all matches replaced, the first one replaced; or the class of the error."""
    pattern, text, rewrite = (tf.constant(part) for part in case)

    def replace(everywhere: bool) -> object:
        return tf.strings.regex_replace(text, pattern, rewrite, everywhere).numpy().decode("latin1")

    calls = [
        lambda: bool(tf.strings.regex_full_match(text, pattern)),
        lambda: replace(True),
        lambda: replace(False),
    ]
    results: list[object] = []
    for call in calls:
        try:
            results.append(call())
        except (tf.errors.InvalidArgumentError, UnicodeDecodeError):
            # The second is raised in place of the first when its message holds bytes that are not
            # UTF-8, for instance those of the pattern.
            results.append(["InvalidArgumentError"])
    return results


if __name__ == "__main__":
    rows = [[*(part.decode("latin1") for part in case), *_recorded(case)] for case in cases()]
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    RECORD.write_text(f"[\n{lines}\n]\n")
    print(f"{len(rows)} cases")
