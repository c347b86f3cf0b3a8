"""Whole sequences of recurrent cells in one op, for libraries with recurrent layers."""

from tapeflow._src.ops.nn.gru import gru_sequence as gru_sequence
from tapeflow._src.ops.nn.lstm import lstm_sequence as lstm_sequence
