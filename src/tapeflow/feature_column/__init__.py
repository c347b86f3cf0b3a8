"""`tf.feature_column`: descriptions of how the features of a table become the inputs of a model.

A column names the feature that it reads and says what is to be computed from it. Columns hold no
values and no variables: `tf.keras.layers.DenseFeatures` evaluates them and owns their weights.
"""

from tapeflow._src.api.feature_column.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from tapeflow._src.api.feature_column.categorical import (
    categorical_column_with_identity as categorical_column_with_identity,
)
from tapeflow._src.api.feature_column.categorical import (
    weighted_categorical_column as weighted_categorical_column,
)
from tapeflow._src.api.feature_column.crossed import crossed_column as crossed_column
from tapeflow._src.api.feature_column.embedding import embedding_column as embedding_column
from tapeflow._src.api.feature_column.embedding import shared_embeddings as shared_embeddings
from tapeflow._src.api.feature_column.indicator import indicator_column as indicator_column
from tapeflow._src.api.feature_column.numeric import bucketized_column as bucketized_column
from tapeflow._src.api.feature_column.numeric import numeric_column as numeric_column
from tapeflow._src.api.feature_column.parsing import (
    make_parse_example_spec as make_parse_example_spec,
)
from tapeflow._src.api.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from tapeflow._src.api.feature_column.sequence import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from tapeflow._src.api.feature_column.sequence import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,  # noqa: E501
)
from tapeflow._src.api.feature_column.sequence import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,  # noqa: E501
)
from tapeflow._src.api.feature_column.sequence import (
    sequence_numeric_column as sequence_numeric_column,
)
from tapeflow._src.api.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from tapeflow._src.api.feature_column.vocabulary import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
