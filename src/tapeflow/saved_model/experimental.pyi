# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.checkpoint.resources import TrackableResource as TrackableResource
from tapeflow._src.saved_model.fingerprints import Fingerprint as Fingerprint
from tapeflow._src.saved_model.fingerprints import read_fingerprint as read_fingerprint
from tapeflow._src.saved_model.variable_policy import VariablePolicy as VariablePolicy
