"""The public namespace `tf.keras.applications`: architectures of image models.

They are loaded when they are used.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_MODULES = {
    "convnext": ("Tiny", "Small", "Base", "Large", "XLarge"),
    "densenet": ("121", "169", "201"),
    "efficientnet": tuple(f"B{n}" for n in range(8)),
    "efficientnet_v2": ("B0", "B1", "B2", "B3", "S", "M", "L"),
    "imagenet_utils": (),
    "inception_resnet_v2": ("",),
    "inception_v3": ("",),
    "mobilenet": ("",),
    "mobilenet_v2": ("",),
    "mobilenet_v3": ("Small", "Large"),
    "nasnet": ("Mobile", "Large"),
    "regnet": tuple(
        f"{block}{size:03d}"
        for block in "XY"
        for size in (2, 4, 6, 8, 16, 32, 40, 64, 80, 120, 160, 320)
    ),
    "resnet": ("50", "101", "152"),
    "resnet50": (),
    "resnet_rs": ("50", "101", "152", "200", "270", "350", "420"),
    "resnet_v2": ("50V2", "101V2", "152V2"),
    "vgg16": ("",),
    "vgg19": ("",),
    "xception": ("",),
}
_FAMILIES = {
    "convnext": "ConvNeXt",
    "densenet": "DenseNet",
    "efficientnet": "EfficientNet",
    "efficientnet_v2": "EfficientNetV2",
    "inception_resnet_v2": "InceptionResNetV2",
    "inception_v3": "InceptionV3",
    "mobilenet": "MobileNet",
    "mobilenet_v2": "MobileNetV2",
    "mobilenet_v3": "MobileNetV3",
    "nasnet": "NASNet",
    "regnet": "RegNet",
    "resnet": "ResNet",
    "resnet_rs": "ResNetRS",
    "resnet_v2": "ResNet",
    "vgg16": "VGG16",
    "vgg19": "VGG19",
    "xception": "Xception",
}
_HOME = "tapeflow.keras.applications"

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{module: f"{_HOME}.{module}" for module in _MODULES},
        **{
            f"{_FAMILIES[module]}{kind}": f"{_HOME}.{module}"
            for module, kinds in _MODULES.items()
            for kind in kinds
        },
    },
)
