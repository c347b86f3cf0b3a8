"""`tf.strings`: strings of bytes."""

from tapeflow._src.api.strings.numbers import as_string as as_string
from tapeflow._src.api.strings.numbers import to_hash_bucket as to_hash_bucket
from tapeflow._src.api.strings.numbers import to_hash_bucket_fast as to_hash_bucket_fast
from tapeflow._src.api.strings.numbers import to_hash_bucket_strong as to_hash_bucket_strong
from tapeflow._src.api.strings.numbers import to_number as to_number
from tapeflow._src.api.strings.splitting import bytes_split as bytes_split
from tapeflow._src.api.strings.splitting import ngrams as ngrams
from tapeflow._src.api.strings.splitting import split as split
from tapeflow._src.api.strings.text import format as format
from tapeflow._src.api.strings.text import join as join
from tapeflow._src.api.strings.text import length as length
from tapeflow._src.api.strings.text import lower as lower
from tapeflow._src.api.strings.text import reduce_join as reduce_join
from tapeflow._src.api.strings.text import regex_full_match as regex_full_match
from tapeflow._src.api.strings.text import regex_replace as regex_replace
from tapeflow._src.api.strings.text import strip as strip
from tapeflow._src.api.strings.text import substr as substr
from tapeflow._src.api.strings.text import unsorted_segment_join as unsorted_segment_join
from tapeflow._src.api.strings.text import upper as upper
from tapeflow._src.api.strings.unicode import unicode_decode as unicode_decode
from tapeflow._src.api.strings.unicode import (
    unicode_decode_with_offsets as unicode_decode_with_offsets,
)
from tapeflow._src.api.strings.unicode import unicode_encode as unicode_encode
from tapeflow._src.api.strings.unicode import unicode_script as unicode_script
from tapeflow._src.api.strings.unicode import unicode_split as unicode_split
from tapeflow._src.api.strings.unicode import (
    unicode_split_with_offsets as unicode_split_with_offsets,
)
from tapeflow._src.api.strings.unicode import unicode_transcode as unicode_transcode
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
