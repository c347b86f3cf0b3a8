"""`tf.strings`: strings of bytes."""

from tapeflow.strings.functions import bytes_split as bytes_split
from tapeflow.strings.functions import split as split
from tapeflow.strings.functions import to_number as to_number
from tapeflow.strings.functions import unicode_decode as unicode_decode
from tapeflow.strings.functions import unicode_encode as unicode_encode
from tapeflow.strings.functions import unicode_split as unicode_split
