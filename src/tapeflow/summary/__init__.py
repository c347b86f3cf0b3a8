"""`tf.summary`: event files for TensorBoard, written where ops run eagerly."""

from tapeflow.summary.writer import SummaryWriter as SummaryWriter
from tapeflow.summary.writer import create_file_writer as create_file_writer
from tapeflow.summary.writer import histogram as histogram
from tapeflow.summary.writer import image as image
from tapeflow.summary.writer import scalar as scalar

__all__ = ["SummaryWriter", "create_file_writer", "histogram", "image", "scalar"]
