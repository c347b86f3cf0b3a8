"""Install a wheel into clean environments outside of the tree, and run the tour of the README.

    python -m tests.wheel dist/tapeflow-….whl

Once with all dependencies and once without the compiler; prints how much disk each takes. Imports
nothing of the tree.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def tour() -> str:
    """Return the Python code of the README as one program."""
    text = (ROOT / "README.md").read_text("utf-8")
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.S | re.M))


def _megabytes(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def check(wheel: Path, kind: str, folder: Path) -> None:
    """Install the wheel, full or light, into an environment, and run the tour there."""
    environment = folder / kind
    print(f"installing {wheel.name}, {kind} ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    quiet = ["--quiet", "--disable-pip-version-check"]
    install = [python, "-m", "pip", "install", *quiet]
    if kind == "light":
        subprocess.run([*install, "-r", ROOT / "requirements-light.txt"], check=True)
        install.append("--no-deps")
    subprocess.run([*install, wheel], check=True)
    program = folder / "tour.py"
    program.write_text(tour(), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, program], cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode or "MatMul" not in done.stdout:
        sys.exit(f"the tour failed:\n{done.stdout}\n{done.stderr}")
    print(f"the tour runs; the environment takes {_megabytes(environment):.0f} MB", flush=True)


def main() -> None:
    """Check the wheel named on the command line."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("full", "light"):
            check(wheel, kind, Path(folder))


if __name__ == "__main__":
    main()
