# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.checkpoint.python_state import PythonState as PythonState
