"""Loads every part that declares ops: a graph from a file may hold any of them."""

from __future__ import annotations

from tapeflow import audio as audio
from tapeflow import bitwise as bitwise
from tapeflow import image as image
from tapeflow import io as io
from tapeflow import linalg as linalg
from tapeflow import lookup as lookup
from tapeflow import math as math
from tapeflow import nn as nn
from tapeflow import quantization as quantization
from tapeflow import queue as queue
from tapeflow import ragged as ragged
from tapeflow import random as random
from tapeflow import raw_ops as raw_ops
from tapeflow import sets as sets
from tapeflow import signal as signal
from tapeflow import sparse as sparse
from tapeflow import strings as strings
