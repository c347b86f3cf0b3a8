"""`tf.data.experimental`: former names of methods, and what is still being tried."""

from tapeflow._src.data.experimental import AUTOTUNE as AUTOTUNE
from tapeflow._src.data.experimental import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from tapeflow._src.data.experimental import SHARD_HINT as SHARD_HINT
from tapeflow._src.data.experimental import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from tapeflow._src.data.experimental import AutoShardPolicy as AutoShardPolicy
from tapeflow._src.data.experimental import AutotuneAlgorithm as AutotuneAlgorithm
from tapeflow._src.data.experimental import AutotuneOptions as AutotuneOptions
from tapeflow._src.data.experimental import Counter as Counter
from tapeflow._src.data.experimental import CsvDataset as CsvDataset
from tapeflow._src.data.experimental import DatasetInitializer as DatasetInitializer
from tapeflow._src.data.experimental import DistributeOptions as DistributeOptions
from tapeflow._src.data.experimental import ExternalStatePolicy as ExternalStatePolicy
from tapeflow._src.data.experimental import OptimizationOptions as OptimizationOptions
from tapeflow._src.data.experimental import Optional as Optional
from tapeflow._src.data.experimental import RandomDataset as RandomDataset
from tapeflow._src.data.experimental import Reducer as Reducer
from tapeflow._src.data.experimental import ServiceOptions as ServiceOptions
from tapeflow._src.data.experimental import SqlDataset as SqlDataset
from tapeflow._src.data.experimental import TFRecordWriter as TFRecordWriter
from tapeflow._src.data.experimental import ThreadingOptions as ThreadingOptions
from tapeflow._src.data.experimental import assert_cardinality as assert_cardinality
from tapeflow._src.data.experimental import at as at
from tapeflow._src.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from tapeflow._src.data.experimental import cardinality as cardinality
from tapeflow._src.data.experimental import choose_from_datasets as choose_from_datasets
from tapeflow._src.data.experimental import copy_to_device as copy_to_device
from tapeflow._src.data.experimental import dense_to_ragged_batch as dense_to_ragged_batch
from tapeflow._src.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from tapeflow._src.data.experimental import distributed_save as distributed_save
from tapeflow._src.data.experimental import enable_debug_mode as enable_debug_mode
from tapeflow._src.data.experimental import enumerate_dataset as enumerate_dataset
from tapeflow._src.data.experimental import from_list as from_list
from tapeflow._src.data.experimental import from_variant as from_variant
from tapeflow._src.data.experimental import get_model_proto as get_model_proto
from tapeflow._src.data.experimental import get_next_as_optional as get_next_as_optional
from tapeflow._src.data.experimental import get_single_element as get_single_element
from tapeflow._src.data.experimental import get_structure as get_structure
from tapeflow._src.data.experimental import group_by_reducer as group_by_reducer
from tapeflow._src.data.experimental import group_by_window as group_by_window
from tapeflow._src.data.experimental import ignore_errors as ignore_errors
from tapeflow._src.data.experimental import index_table_from_dataset as index_table_from_dataset
from tapeflow._src.data.experimental import load as load
from tapeflow._src.data.experimental import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from tapeflow._src.data.experimental import make_csv_dataset as make_csv_dataset
from tapeflow._src.data.experimental import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
from tapeflow._src.data.experimental import map_and_batch as map_and_batch
from tapeflow._src.data.experimental import pad_to_cardinality as pad_to_cardinality
from tapeflow._src.data.experimental import parallel_interleave as parallel_interleave
from tapeflow._src.data.experimental import parse_example_dataset as parse_example_dataset
from tapeflow._src.data.experimental import prefetch_to_device as prefetch_to_device
from tapeflow._src.data.experimental import rejection_resample as rejection_resample
from tapeflow._src.data.experimental import sample_from_datasets as sample_from_datasets
from tapeflow._src.data.experimental import save as save
from tapeflow._src.data.experimental import scan as scan
from tapeflow._src.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from tapeflow._src.data.experimental import snapshot as snapshot
from tapeflow._src.data.experimental import table_from_dataset as table_from_dataset
from tapeflow._src.data.experimental import take_while as take_while
from tapeflow._src.data.experimental import to_variant as to_variant
from tapeflow._src.data.experimental import unbatch as unbatch
from tapeflow._src.data.experimental import unique as unique
from tapeflow.data.experimental import service as service
