"""Sessions: graphs run piece by piece, as TensorFlow 1 programs do."""

from tapeflow._src.sessions.session import InteractiveSession as InteractiveSession
from tapeflow._src.sessions.session import Session as Session
