"""`tf.test.experimental`: waiting for devices."""

from tapeflow._src.api.test.experimental import sync_devices as sync_devices
