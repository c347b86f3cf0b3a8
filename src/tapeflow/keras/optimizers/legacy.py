"""The public namespace `tf.keras.optimizers.legacy`: Keras 2's names for its older optimizers.

They are the optimizers of `tf.keras.optimizers`: the steps are the same, and so are the arguments,
`lr` and `decay` included. `Optimizer` is the base class of optimizers of the first Keras 2.
"""

from __future__ import annotations

from tapeflow._src.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow._src.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow._src.keras.optimizers.adam import Adam as Adam
from tapeflow._src.keras.optimizers.adamax import Adamax as Adamax
from tapeflow._src.keras.optimizers.ftrl import Ftrl as Ftrl
from tapeflow._src.keras.optimizers.legacy_optimizer import Optimizer as Optimizer
from tapeflow._src.keras.optimizers.nadam import Nadam as Nadam
from tapeflow._src.keras.optimizers.rmsprop import RMSprop as RMSprop
from tapeflow._src.keras.optimizers.sgd import SGD as SGD
