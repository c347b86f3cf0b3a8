"""Objects that checkpoints know: for libraries whose classes are no `tf.Module`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.tracking import AutoTrackable as AutoTrackable
from tapeflow._src.internal.tracking import CheckpointInitialValue as CheckpointInitialValue
from tapeflow._src.internal.tracking import (
    CheckpointInitialValueCallable as CheckpointInitialValueCallable,
)
from tapeflow._src.internal.tracking import DelegatingTrackableMixin as DelegatingTrackableMixin
from tapeflow._src.internal.tracking import DictWrapper as DictWrapper
from tapeflow._src.internal.tracking import ListWrapper as ListWrapper
from tapeflow._src.internal.tracking import ObjectGraphView as ObjectGraphView
from tapeflow._src.internal.tracking import Trackable as Trackable
from tapeflow._src.internal.tracking import TrackableDataStructure as TrackableDataStructure
from tapeflow._src.internal.tracking import TrackableReference as TrackableReference
from tapeflow._src.internal.tracking import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from tapeflow._src.internal.tracking import (
    no_automatic_dependency_tracking_scope as no_automatic_dependency_tracking_scope,
)
from tapeflow._src.internal.tracking import references_by_object as references_by_object
from tapeflow._src.internal.tracking import register_session_provider as register_session_provider
from tapeflow._src.internal.tracking import (
    saveable_objects_from_trackable as saveable_objects_from_trackable,
)
from tapeflow._src.internal.tracking import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)
from tapeflow._src.internal.tracking import streaming_restore as streaming_restore
from tapeflow._src.internal.tracking import wrap as wrap

_explain_missing(__name__)
