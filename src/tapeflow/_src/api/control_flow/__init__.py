"""Conditionals, loops and Python functions in a graph: `tf.cond`, `tf.while_loop`, …"""

from tapeflow._src.api.control_flow.branching import case as case
from tapeflow._src.api.control_flow.branching import cond as cond
from tapeflow._src.api.control_flow.branching import switch_case as switch_case
from tapeflow._src.api.control_flow.folding import foldl as foldl
from tapeflow._src.api.control_flow.folding import foldr as foldr
from tapeflow._src.api.control_flow.folding import scan as scan
from tapeflow._src.api.control_flow.grouping import group as group
from tapeflow._src.api.control_flow.grouping import no_op as no_op
from tapeflow._src.api.control_flow.grouping import tuple as tuple
from tapeflow._src.api.control_flow.looping import while_loop as while_loop
from tapeflow._src.api.control_flow.mapping import map_fn as map_fn
from tapeflow._src.api.control_flow.python_functions import numpy_function as numpy_function
from tapeflow._src.api.control_flow.python_functions import py_function as py_function
