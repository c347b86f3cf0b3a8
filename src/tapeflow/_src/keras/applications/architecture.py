"""Common parts of architectures: inputs, the classifier on top, and files of weights.

An architecture says how its body is made of layers (`body`); `Stack` puts layers on a tensor.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import image_data_format
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.models.functional import Functional
from tapeflow.keras import layers

URL = "https://storage.googleapis.com/tensorflow/keras-applications/"


@dataclass(frozen=True)
class Request:
    """The arguments of a model."""

    include_top: bool
    weights: Any
    input_tensor: Any
    input_shape: Any
    pooling: str | None
    classes: int
    activation: Any
    name: str


class Stack:
    """A tensor, and the layers that may be put on it; each method returns a new stack."""

    # What batch normalisation is created with.
    normalization: dict[str, Any] = {}

    def __init__(self, tensor: Any, normalization: dict[str, Any] | None = None) -> None:
        self.tensor = tensor
        self.axis = 3 if image_data_format() == "channels_last" else 1
        if normalization is not None:
            self.normalization = normalization

    @property
    def channels(self) -> int:
        """The number of channels."""
        return self.tensor.shape[self.axis]

    def on(self, tensor: Any) -> Stack:
        """A stack on another tensor."""
        return Stack(tensor, self.normalization)

    def put(self, layer: Any) -> Stack:
        """Put a layer on the tensor."""
        return self.on(layer(self.tensor))

    def conv(self, filters: int, size: Any = 1, stride: int = 1, **kwargs: Any) -> Stack:
        """A convolution, without bias unless it is asked for."""
        kwargs.setdefault("use_bias", False)
        return self.put(layers.Conv2D(filters, size, strides=stride, **kwargs))

    def separable(
        self, filters: int, size: Any = 3, name: str | None = None, **kwargs: Any
    ) -> Stack:
        """A separable convolution, of the same size unless said otherwise."""
        kwargs.setdefault("padding", "same")
        return self.put(layers.SeparableConv2D(filters, size, use_bias=False, name=name, **kwargs))

    def depthwise(
        self, size: Any, stride: int, name: str, pad: str | None = None, **kw: Any
    ) -> Stack:
        """A depthwise convolution; with a stride, after padding by a layer of the name `pad`."""
        padded = self if stride == 1 or pad is None else self.pad_for(size, pad)
        kw.setdefault("padding", "same" if padded is self else "valid")
        return padded.put(
            layers.DepthwiseConv2D(size, strides=stride, use_bias=False, name=name, **kw)
        )

    def norm(self, name: str | None = None, **kwargs: Any) -> Stack:
        """Batch normalisation."""
        arguments = {**self.normalization, **kwargs}
        return self.put(layers.BatchNormalization(axis=self.axis, name=name, **arguments))

    def act(self, function: Any = "relu", name: str | None = None) -> Stack:
        """An activation."""
        return self.put(layers.Activation(function, name=name))

    def pad(self, padding: Any, name: str | None = None) -> Stack:
        """Zeros around the image."""
        return self.put(layers.ZeroPadding2D(padding, name=name))

    def pad_for(self, size: int, name: str | None = None) -> Stack:
        """Zeros such that a convolution of that size and stride 2 ends at the border."""
        first = 2 if self.axis == 1 else 1
        sides = []
        for extent in self.tensor.shape[first : first + 2]:
            even = 1 if extent is None else 1 - extent % 2
            sides.append((size // 2 - even, size // 2))
        return self.pad(tuple(sides), name)

    def max_pool(self, size: int, stride: int, name: str | None = None, **kwargs: Any) -> Stack:
        """The maximum of windows."""
        return self.put(layers.MaxPooling2D(size, strides=stride, name=name, **kwargs))

    def avg_pool(self, size: int, stride: int, name: str | None = None, **kwargs: Any) -> Stack:
        """The mean of windows."""
        return self.put(layers.AveragePooling2D(size, strides=stride, name=name, **kwargs))

    def add(self, *others: Stack, name: str | None = None) -> Stack:
        """The sum with other stacks, which come after this one."""
        tensors = [self.tensor, *(other.tensor for other in others)]
        return self.on(layers.Add(name=name)(tensors))

    def beside(self, *others: Stack, name: str | None = None) -> Stack:
        """The channels of this stack and of others, one after the other."""
        tensors = [self.tensor, *(other.tensor for other in others)]
        return self.on(layers.Concatenate(axis=self.axis, name=name)(tensors))


class Architecture:
    """A family of models; a subclass defines `body`, and may define `head`."""

    size = 224
    minimum = 32
    # The names of pooling layers: with the classifier, and of mean and maximum without it.
    top_pool: str | None = "avg_pool"
    pools: tuple[str | None, str | None] = (None, None)
    # What `weights` may be for weights that Keras publishes.
    pretrained: tuple[str, ...] = ("imagenet",)
    # The file of weights below `URL`, without its ending; how it goes on without the classifier.
    file = ""
    without_top = "_notop"
    url = URL

    def body(self, net: Stack, request: Request) -> Stack:
        """The layers between the input and the classifier."""
        raise NotImplementedError

    def head(self, net: Stack, request: Request) -> Stack:
        """The classifier."""
        net = net.put(layers.GlobalAveragePooling2D(name=self.top_pool))
        return net.put(
            layers.Dense(request.classes, activation=request.activation, name="predictions")
        )

    def end(self, net: Stack, request: Request) -> Stack:
        """Apply the pooling that follows the body if there is no classifier."""
        kinds = {"avg": layers.GlobalAveragePooling2D, "max": layers.GlobalMaxPooling2D}
        if request.pooling not in kinds:
            return net
        name = self.pools[0 if request.pooling == "avg" else 1]
        return net.put(kinds[request.pooling](name=name))

    def create(self, request: Request) -> Any:
        """The model."""
        self.check(request)
        shape = self.input_shape(request)
        file = self.weights_file(request)
        if isinstance(request.input_tensor, KerasTensor):
            tensor = request.input_tensor
        else:
            tensor = layers.Input(shape=shape, tensor=request.input_tensor)
        net = self.body(Stack(tensor), request)
        net = (self.head if request.include_top else self.end)(net, request)
        model = Functional(sources_of(tensor), net.tensor, name=self.name(request, shape))
        if file is not None:
            model.load_weights(file)
        return model

    def name(self, request: Request, shape: Any) -> str:
        """The name of the model."""
        return request.name

    def check(self, request: Request) -> None:
        """Raise ValueError for arguments that do not go together."""
        weights = request.weights
        if weights not in (None, *self.pretrained) and not tf.io.gfile.exists(weights):
            published = ", ".join(map(repr, self.pretrained))
            raise ValueError(
                f"`weights` must be None, {published} or the path of a file that exists. "
                f"Received: weights={weights!r}"
            )
        if weights not in self.pretrained or not request.include_top:
            return
        if request.classes != 1000:
            raise ValueError(
                f"The classifier of weights={weights!r} has 1000 classes: pass include_top=False "
                f"for another one. Received: classes={request.classes}"
            )
        if request.activation not in (None, "softmax"):
            raise ValueError(
                f"With weights={weights!r}, `classifier_activation` must be None or 'softmax'. "
                f"Received: {request.activation!r}"
            )

    def input_shape(self, request: Request) -> Any:
        """The shape of images, checked."""
        shape, imagenet = request.input_shape, request.weights == "imagenet"
        last = image_data_format() == "channels_last"
        channels = 3
        if shape is not None and len(shape) != 3:
            raise ValueError(f"`input_shape` must have three sizes. Received: {shape}")
        if shape is not None:
            channels = shape[-1] if last else shape[0]
            sides = shape[:-1] if last else shape[1:]
            self._check_sides(sides, channels, imagenet, request)
        size = self.size
        default = (size, size, channels) if last else (channels, size, size)
        if shape is None:
            if request.include_top:
                return default
            return (None, None, 3) if last else (3, None, None)
        if request.include_top and imagenet and tuple(shape) != default:
            raise ValueError(
                f"With weights='imagenet' and its classifier, `input_shape` must be {default}. "
                f"Received: input_shape={shape}"
            )
        return shape

    def _check_sides(self, sides: Any, channels: Any, imagenet: bool, request: Request) -> None:
        if imagenet and channels != 3:
            raise ValueError(
                f"The weights 'imagenet' are for 3 channels. Received: "
                f"input_shape={request.input_shape}"
            )
        if channels not in (1, 3):
            warn_user(f"Images have 1 or 3 channels as a rule. Received: {request.input_shape}")
        if any(side is not None and side < self.minimum for side in sides):
            raise ValueError(
                f"Images must have at least {self.minimum}x{self.minimum} pixels. Received: "
                f"input_shape={request.input_shape}"
            )
        if request.include_top and None in sides:
            raise ValueError(
                f"With the classifier (include_top=True), `input_shape` must be known. Received: "
                f"input_shape={request.input_shape}"
            )

    def file_name(self, request: Request) -> str:
        """The file of weights, below `url`."""
        return f"{self.file}{'' if request.include_top else self.without_top}.h5"

    def weights_file(self, request: Request) -> Any:
        """Return the path of the weights that were asked for; None for random ones."""
        if request.weights in self.pretrained:
            return cached_file(self.url + self.file_name(request))
        return request.weights


def cached_file(url: str) -> str:
    """The path of a file in Keras' cache; FileNotFoundError that says what to download."""
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    path = os.path.join(home, "models", url.rpartition("/")[2])
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"There are no weights at {path}. Download {url} to that path, or pass weights=None "
            f"for random ones."
        )
    return path


def sources_of(tensor: Any) -> Any:
    """The inputs that a KerasTensor is computed from."""
    found: dict[int, Any] = {}
    waiting = [tensor]
    while waiting:
        each = waiting.pop()
        history = each._keras_history
        node = history.operation._inbound_nodes[history.node_index]
        if node.is_input:
            found[id(each)] = each
        waiting += node.input_tensors
    sources = list(found.values())
    return sources[0] if len(sources) == 1 else sources


def model_function(architecture: Architecture, label: str, name: str) -> Callable[..., Any]:
    """The public function that creates a model of an architecture."""

    def create(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        name: str = name,
    ) -> Any:
        return architecture.create(
            Request(
                include_top,
                weights,
                input_tensor,
                input_shape,
                pooling,
                classes,
                classifier_activation,
                name,
            )
        )

    return documented(create, label, architecture)


_ARGUMENTS = {
    "include_top": "Whether there is a classifier on top.",
    "weights": """"imagenet" for the file in Keras' cache folder, the path of a file of weights, or
            None for random ones.""",
    "input_tensor": "A KerasTensor to begin with.",
    "input_shape": "Shape of images, with their channels.",
    "pooling": """How the image is reduced to a vector without a classifier: "avg", "max" or None
            for not at all.""",
    "classes": "Number of classes of the classifier.",
    "classifier_activation": "Activation of the classifier; None for logits.",
    "include_preprocessing": "Whether the model scales images itself, from 0 to 255.",
    "alpha": "Factor of the number of channels of all layers.",
    "depth_multiplier": "Number of outputs of depthwise convolutions per channel.",
    "dropout": "Rate of the dropout before the classifier.",
    "dropout_rate": "Rate of the dropout before the classifier.",
    "minimalistic": "Whether to leave out squeeze-and-excite blocks, hard swish and 5x5 kernels.",
    "model_name": "Name of the model.",
    "name": "Name of the model.",
}
_TEXT = """Create the model {label}.

    Args:
{arguments}

    Returns:
        A model.

    Raises:
        ValueError: An argument does not fit the others, such as another number of classes for the
            weights of ImageNet.
        FileNotFoundError: The weights are not in the cache folder.

    Example:
        >>> model = tf.keras.applications.{label}(weights=None)
        >>> model.output_shape
        (None, 1000)
    """


def documented(create: Callable[..., Any], label: str, architecture: Architecture) -> Any:
    """Set the name and docstring of a function that creates models."""
    create.__name__ = create.__qualname__ = label
    create.__module__ = type(architecture).__module__
    names = inspect.signature(create).parameters
    arguments = "\n".join(f"        {name}: {_ARGUMENTS[name]}" for name in names)
    create.__doc__ = _TEXT.format(label=label, arguments=arguments)
    return create


def divisible(value: float, by: int = 8, shrink: float = 0.9) -> int:
    """The multiple of `by` that is closest, and not below `shrink` times the value."""
    rounded = max(by, int(value + by / 2) // by * by)
    return rounded + by if rounded < shrink * value else rounded
