"""The public namespace `tf.keras.applications.convnext`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.conv_next import ConvNeXtBase as ConvNeXtBase
from tapeflow._src.keras.applications.conv_next import ConvNeXtLarge as ConvNeXtLarge
from tapeflow._src.keras.applications.conv_next import ConvNeXtSmall as ConvNeXtSmall
from tapeflow._src.keras.applications.conv_next import ConvNeXtTiny as ConvNeXtTiny
from tapeflow._src.keras.applications.conv_next import ConvNeXtXLarge as ConvNeXtXLarge
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)

_explain_missing(__name__)
