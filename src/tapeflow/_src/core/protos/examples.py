"""Training examples as stored in TFRecord files."""

from __future__ import annotations

EXAMPLES = """
# tensorflow/core/example/feature.proto
BytesList: bytes* value=1
FloatList: float* value=1
Int64List: int64* value=1
Feature: kind(BytesList bytes_list=1 | FloatList float_list=2 | Int64List int64_list=3)
Features: string->Feature feature=1
FeatureList: Feature* feature=1
FeatureLists: string->FeatureList feature_list=1
# tensorflow/core/example/example.proto
Example: Features features=1
SequenceExample: Features context=1, FeatureLists feature_lists=2
"""
