"""The architectures and what is known of them.

`python -m tests.keras.applications.samples` records it from Keras, where that is installed, and
from `tf_keras` for the architectures that only Keras 2 has.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[2] / "golden" / "keras_applications.json"
NAMES = (
    *("Xception", "VGG16", "VGG19", "InceptionV3", "InceptionResNetV2", "MobileNet", "MobileNetV2"),
    *("MobileNetV3Small", "MobileNetV3Large", "NASNetMobile", "NASNetLarge"),
    *(f"ResNet{n}{version}" for n in (50, 101, 152) for version in ("", "V2")),
    *(f"DenseNet{n}" for n in (121, 169, 201)),
    *(f"EfficientNetB{n}" for n in range(8)),
    *(f"EfficientNetV2{kind}" for kind in ("B0", "B1", "B2", "B3", "S", "M", "L")),
    *(f"ConvNeXt{kind}" for kind in ("Tiny", "Small", "Base", "Large", "XLarge")),
)
# Those that only Keras 2 has.
LEGACY = (
    *(
        f"RegNet{block}{size:03d}"
        for block in "XY"
        for size in (2, 4, 6, 8, 16, 32, 40, 64, 80, 120, 160, 320)
    ),
    *(f"ResNetRS{depth}" for depth in (50, 101, 152, 200, 270, 350, 420)),
)
# One of each family; the outputs of the others follow from their tables.
COMPUTED = (
    *("Xception", "VGG16", "InceptionV3", "InceptionResNetV2", "MobileNet", "MobileNetV2"),
    *("MobileNetV3Small", "MobileNetV3Large", "NASNetMobile", "ResNet50", "ResNet50V2"),
    *("DenseNet121", "EfficientNetB0", "EfficientNetV2B0", "ConvNeXtTiny"),
    *("RegNetX002", "RegNetY002", "ResNetRS50"),
)


def facts(keras: Any, name: str) -> dict[str, Any]:
    """What is counted and named in a model with its classifier."""
    keras.backend.clear_session()
    model = getattr(keras.applications, name)(weights=None)
    if name in LEGACY:
        # Inputs have another name in Keras 2, and weights no path.
        layers = [layer for layer in model.layers if type(layer).__name__ != "InputLayer"]
        owners = [(layer.name, weight) for layer in layers for weight in layer.weights]
    else:
        layers = model.layers
        owners = [(weight.path, weight) for weight in model.weights]
    names = "\n".join(layer.name for layer in layers)
    paths = "\n".join(f"{owner} {tuple(weight.shape)}" for owner, weight in owners)
    return {
        "name": model.name,
        "parameters": model.count_params(),
        "layers": len(model.layers),
        "names": hashlib.sha256(names.encode()).hexdigest()[:16],
        "weights": hashlib.sha256(paths.encode()).hexdigest()[:16],
        "output": list(model.output_shape),
    }


def outputs(keras: Any, name: str) -> list[float]:
    """What a model computes with weights that are always the same."""
    keras.backend.clear_session()
    create = getattr(keras.applications, name)
    model = create(weights=None, include_top=False, pooling="avg", input_shape=(80, 80, 3))
    random = np.random.default_rng(5)
    values = []
    for weight in model.weights:
        shape = tuple(weight.shape)
        value = random.standard_normal(shape)
        if len(shape) > 1:
            value = value / np.sqrt(np.prod(shape[:-1]))
        elif "variance" in weight.name or "gamma" in weight.name:
            value = 1 + 0.1 * np.tanh(value)
        else:
            value = 0.1 * value
        values.append(value.astype(weight.dtype if isinstance(weight.dtype, str) else "float32"))
    model.set_weights(values)
    images = random.uniform(0, 255, (1, 80, 80, 3)).astype("float32")
    return np.asarray(model(images, training=False))[0, :6].astype(float).tolist()


def recorded() -> dict[str, Any]:
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def main() -> None:
    known = recorded() if GOLDEN.exists() else {}
    for name in (*NAMES, *LEGACY):
        if name in known:
            continue
        keras = importlib.import_module("tf_keras" if name in LEGACY else "keras")
        known[name] = facts(keras, name)
        if name in COMPUTED:
            known[name]["outputs"] = [float(f"{v:.7g}") for v in outputs(keras, name)]
        text = ",\n".join(f"{json.dumps(key)}: {json.dumps(each)}" for key, each in known.items())
        GOLDEN.write_text("{\n" + text + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
