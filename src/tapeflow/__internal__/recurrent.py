"""Whole sequences of recurrent cells in one op, for libraries with recurrent layers."""

from tapeflow.ops.recurrent_gru import gru_sequence as gru_sequence
from tapeflow.ops.recurrent_lstm import lstm_sequence as lstm_sequence
