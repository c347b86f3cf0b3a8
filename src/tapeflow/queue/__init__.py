"""`tf.queue`: bounded queues of tensors between threads."""

from tapeflow.queue.queues import FIFOQueue as FIFOQueue
from tapeflow.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapeflow.queue.queues import PriorityQueue as PriorityQueue
from tapeflow.queue.queues import QueueBase as QueueBase
from tapeflow.queue.queues import RandomShuffleQueue as RandomShuffleQueue
