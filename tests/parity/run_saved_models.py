"""Save a model under TensorFlow, or use one there.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.run_saved_models write [folder]         # the golden files, by default
    python -m tests.parity.run_saved_models read folder result.json
    python -m tests.parity.run_saved_models session folder result.json
    python -m tests.parity.run_saved_models run folder result.json     # its `run(x, x.T)`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

from tests.parity.saved_models import call_run, run_in_session, save, use

GOLDEN = Path(__file__).parents[1] / "golden" / "saved_models"

if __name__ == "__main__":
    if sys.argv[1] == "write":
        target = Path(sys.argv[2]) if len(sys.argv) > 2 else GOLDEN
        target.mkdir(parents=True, exist_ok=True)
        save(tf, target)
    else:
        do = {"read": use, "session": run_in_session, "run": call_run}[sys.argv[1]]
        Path(sys.argv[3]).write_text(json.dumps(do(tf, Path(sys.argv[2]))), encoding="utf-8")
