"""The public namespace `tf.nn.experimental`."""

from tapeflow._src.api.nn.dropout import general_dropout as general_dropout
from tapeflow._src.api.nn.dropout import stateless_dropout as stateless_dropout
