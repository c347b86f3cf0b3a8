"""Keras models with the interface of scikit-learn: `fit`, `predict`, `transform`, clones.

scikit-learn is optional: without it the classes exist, and creating one says what to install.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.models.cloning import clone_model
from tapeflow._src.keras.models.model import Model
from tapeflow._src.keras.wrappers.targets import Classes, Columns

try:
    from sklearn import base as _base
except ImportError:
    _base = None

_PURPOSE = {"needed_for": "keras.wrappers", "install": "scikit-learn"}
_sklearn = LazyModule("sklearn", **_PURPOSE)
_multiclass = LazyModule("sklearn.utils.multiclass", **_PURPOSE)
_routing = LazyModule("sklearn.utils.metadata_routing", **_PURPOSE)
_validation = LazyModule("sklearn.utils.validation", **_PURPOSE)


def _kind(name: str) -> Any:
    """A class of `sklearn.base`; without scikit-learn, an empty one of that name."""
    return type(name, (), {}) if _base is None else getattr(_base, name)


_Estimator: Any = _kind("BaseEstimator")
_Classifier: Any = _kind("ClassifierMixin")
_Regressor: Any = _kind("RegressorMixin")
_Transformer: Any = _kind("TransformerMixin")


class KerasEstimator(_Estimator):
    """Base class of the wrappers.

    Args:
        model: a compiled model, of which each `fit` trains a clone, or a function of `X`, `y` and
            `model_kwargs` that returns a compiled model.
        warm_start: accepted for the sake of scikit-learn's tools; every `fit` starts anew.
        model_kwargs: further arguments of the function.
        fit_kwargs: arguments of `model.fit`.
    """

    def __init__(
        self,
        model: Any,
        warm_start: bool = False,
        model_kwargs: dict[str, Any] | None = None,
        fit_kwargs: dict[str, Any] | None = None,
    ) -> None:
        if _base is None:
            raise ImportError(
                f"{type(self).__name__} needs scikit-learn, which cannot be imported. Install it "
                f"with `pip install scikit-learn`."
            )
        self.model = model
        self.warm_start = warm_start
        self.model_kwargs = model_kwargs
        self.fit_kwargs = fit_kwargs

    # -- what scikit-learn asks --------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def __sklearn_clone__(self) -> Any:
        model = copy.deepcopy(self.model) if isinstance(self.model, Model) else self.model
        return type(self)(model, self.warm_start, self.model_kwargs, self.fit_kwargs)

    def set_fit_request(self, **kwargs: Any) -> Any:
        """Say which metadata `fit` takes; scikit-learn's metadata routing must be enabled."""
        if not _sklearn.get_config().get("enable_metadata_routing", False):
            raise RuntimeError(
                "`set_fit_request` needs metadata routing: enable it with "
                "`sklearn.set_config(enable_metadata_routing=True)`."
            )
        self._metadata_request = _routing.MetadataRequest(owner=type(self).__name__)
        for parameter, alias in kwargs.items():
            self._metadata_request.fit.add_request(param=parameter, alias=alias)
        return self

    @property
    def epoch_(self) -> int:
        """How many epochs the model was trained for."""
        history = getattr(self, "history_", None)
        return 0 if history is None else len(history.epoch)

    # -- training and predicting -------------------------------------------------------------

    def fit(self, X: Any, y: Any, **kwargs: Any) -> Any:
        """Train a new model; `kwargs` are further arguments of `model.fit`."""
        X, y = _validation.validate_data(self, X, y)
        y = self._encoded(y)
        model = self._new_model(X, y)
        if not (getattr(model, "compiled", False) and model.loss and model.optimizer):
            raise RuntimeError(
                f"{type(self).__name__} needs a compiled model: call `model.compile(optimizer, "
                f"loss)` first."
            )
        self.history_ = model.fit(X, y, **{**(self.fit_kwargs or {}), **kwargs})
        self.model_ = model
        return self

    def _new_model(self, X: Any, y: Any) -> Any:
        if not isinstance(self.model, Model):
            return self.model(X=X, y=y, **(self.model_kwargs or {}))
        model = clone_model(self.model)
        if self.model.compiled:
            model.compile_from_config(self.model.get_compile_config())
        return model

    def _raw(self, X: Any) -> Any:
        """Return the predictions of the model."""
        _validation.check_is_fitted(self)
        return self.model_.predict(_validation.validate_data(self, X, reset=False))

    def predict(self, X: Any) -> Any:
        """Return the predictions, in the form of the targets that `fit` received."""
        outputs = self._raw(X)  # raises first if nothing was fitted
        return self._targets.decode(outputs)

    def _encoded(self, y: Any) -> Any:
        """The targets as the model is trained on them."""
        self._target_type(y)
        self._targets: Any = Columns(y)
        return self._targets.encode(y)

    def _target_type(self, y: Any) -> str:
        kind = _multiclass.type_of_target(y)
        if kind == "unknown":
            raise ValueError(f"Unknown label type: expected numbers or classes. Received: {y!r}")
        return kind


class SKLearnClassifier(_Classifier, KerasEstimator):
    """A model as a classifier of scikit-learn: targets are classes, and are one-hot encoded.

    Args:
        model: a compiled model, or a function of `X` and `y` that returns one. The last layer must
            have one output for each class.
        warm_start: accepted for the sake of scikit-learn's tools; every `fit` starts anew.
        model_kwargs: further arguments of the function.
        fit_kwargs: arguments of `model.fit`.

    ```python
    def new_model(X, y):
        model = keras.Sequential([keras.layers.Dense(y.shape[1], "softmax")])
        model.compile("adam", "categorical_crossentropy")
        return model

    classifier = keras.wrappers.SKLearnClassifier(new_model, fit_kwargs={"epochs": 5})
    sklearn.model_selection.cross_val_score(classifier, X, y)
    ```
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def decision_function(self, X: Any) -> Any:
        """Return the outputs of the model, one for each class.

        Args:
            X: Array of samples.
        """
        return self._raw(X)

    def _encoded(self, y: Any) -> Any:
        kind = self._target_type(y)
        if kind not in ("binary", "multiclass"):
            raise ValueError(
                f"SKLearnClassifier: expected targets of two classes or more, one for each row. "
                f"Received targets of the type {kind!r}"
            )
        self._targets = Classes(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) == 1:
            raise ValueError(
                f"SKLearnClassifier cannot learn from targets of one class: {self.classes_[0]!r}"
            )
        return self._targets.encode(y)


class SKLearnRegressor(_Regressor, KerasEstimator):
    """A model as a regressor of scikit-learn.

    Args:
        model: a compiled model, or a function of `X` and `y` that returns one.
        warm_start: accepted for the sake of scikit-learn's tools; every `fit` starts anew.
        model_kwargs: further arguments of the function.
        fit_kwargs: arguments of `model.fit`.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class SKLearnTransformer(_Transformer, KerasEstimator):
    """A model as a transformer of scikit-learn: `transform` returns what the model predicts.

    Args:
        model: a compiled model, or a function of `X` and `y` that returns one.
        warm_start: accepted for the sake of scikit-learn's tools; every `fit` starts anew.
        model_kwargs: further arguments of the function.
        fit_kwargs: arguments of `model.fit`.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def transform(self, X: Any) -> Any:
        """Return the outputs of the model.

        Args:
            X: Array of samples.
        """
        return self._raw(X)
