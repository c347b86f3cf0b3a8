"""The public namespace `tf.keras.optimizers.experimental`: Keras 2's names while these were new."""

from __future__ import annotations

from tapeflow.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow.keras.optimizers.adafactor import Adafactor as Adafactor
from tapeflow.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow.keras.optimizers.adam import Adam as Adam
from tapeflow.keras.optimizers.adamax import Adamax as Adamax
from tapeflow.keras.optimizers.adamw import AdamW as AdamW
from tapeflow.keras.optimizers.ftrl import Ftrl as Ftrl
from tapeflow.keras.optimizers.nadam import Nadam as Nadam
from tapeflow.keras.optimizers.optimizer import Optimizer as Optimizer
from tapeflow.keras.optimizers.rmsprop import RMSprop as RMSprop
from tapeflow.keras.optimizers.sgd import SGD as SGD
