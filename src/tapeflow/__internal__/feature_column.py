"""Feature columns for layers that evaluate them, and for libraries with columns of their own."""

from tapeflow._src.api.feature_column.column import CategoricalColumn as CategoricalColumn
from tapeflow._src.api.feature_column.column import DenseColumn as DenseColumn
from tapeflow._src.api.feature_column.column import FeatureColumn as FeatureColumn
from tapeflow._src.api.feature_column.column import (
    FeatureTransformationCache as FeatureTransformationCache,
)
from tapeflow._src.api.feature_column.column import SequenceDenseColumn as SequenceDenseColumn
from tapeflow._src.api.feature_column.serialization import (
    deserialize_feature_column as deserialize_feature_column,
)
from tapeflow._src.api.feature_column.serialization import (
    serialize_feature_column as serialize_feature_column,
)
from tapeflow._src.api.feature_column.state import StateManager as StateManager
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
