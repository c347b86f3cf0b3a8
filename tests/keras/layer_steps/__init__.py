"""Outputs, gradients, one optimizer step and configs of every layer, recorded from Keras."""
