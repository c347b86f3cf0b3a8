"""The public namespace `tf.compat.v1.nn.rnn_cell`: cells with weights of variable scopes."""

from __future__ import annotations

from tapeflow._src.keras.tf1.rnn_cell.base import RNNCell as RNNCell
from tapeflow._src.keras.tf1.rnn_cell.basic import BasicRNNCell as BasicRNNCell
from tapeflow._src.keras.tf1.rnn_cell.basic import GRUCell as GRUCell
from tapeflow._src.keras.tf1.rnn_cell.lstm import BasicLSTMCell as BasicLSTMCell
from tapeflow._src.keras.tf1.rnn_cell.lstm import LSTMCell as LSTMCell
from tapeflow._src.keras.tf1.rnn_cell.lstm import LSTMStateTuple as LSTMStateTuple
from tapeflow._src.keras.tf1.rnn_cell.stacked import MultiRNNCell as MultiRNNCell
from tapeflow._src.keras.tf1.rnn_cell.wrappers import DeviceWrapper as DeviceWrapper
from tapeflow._src.keras.tf1.rnn_cell.wrappers import DropoutWrapper as DropoutWrapper
from tapeflow._src.keras.tf1.rnn_cell.wrappers import ResidualWrapper as ResidualWrapper
