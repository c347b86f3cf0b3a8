"""The same for layers and metrics that only Keras 2 has, recorded from it."""
