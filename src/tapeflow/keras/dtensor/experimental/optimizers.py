"""`tf.keras.dtensor.experimental.optimizers`: the optimizers of `tf.keras.optimizers`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow._src.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow._src.keras.optimizers.adam import Adam as Adam
from tapeflow._src.keras.optimizers.adamw import AdamW as AdamW
from tapeflow._src.keras.optimizers.rmsprop import RMSprop as RMSprop
from tapeflow._src.keras.optimizers.sgd import SGD as SGD

_explain_missing(__name__)
