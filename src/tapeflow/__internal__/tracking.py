"""Objects that checkpoints know: for libraries whose classes are no `tf.Module`."""

from tapeflow.core.trackable import AutoTrackable as AutoTrackable
from tapeflow.core.trackable import Trackable as Trackable
