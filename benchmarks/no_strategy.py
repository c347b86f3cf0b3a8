"""Tapeflow as its own peer, for the cases that measure what a strategy costs over none."""

import tapeflow as tapeflow
