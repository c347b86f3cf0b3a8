"""Why the last gradients had none for a variable, for optimizers, which do not see the tape."""

from __future__ import annotations

from tapeflow._src.gradients.unconnected import latest_reason as latest_reason
