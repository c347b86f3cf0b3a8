# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.wrappers.estimators import SKLearnClassifier as SKLearnClassifier
from tapeflow._src.keras.wrappers.estimators import SKLearnRegressor as SKLearnRegressor
from tapeflow._src.keras.wrappers.estimators import SKLearnTransformer as SKLearnTransformer
