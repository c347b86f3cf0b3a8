"""`tf.strings`: strings of bytes."""

from tapeflow.strings.numbers import as_string as as_string
from tapeflow.strings.numbers import to_hash_bucket as to_hash_bucket
from tapeflow.strings.numbers import to_hash_bucket_fast as to_hash_bucket_fast
from tapeflow.strings.numbers import to_hash_bucket_strong as to_hash_bucket_strong
from tapeflow.strings.numbers import to_number as to_number
from tapeflow.strings.splitting import bytes_split as bytes_split
from tapeflow.strings.splitting import ngrams as ngrams
from tapeflow.strings.splitting import split as split
from tapeflow.strings.text import format as format
from tapeflow.strings.text import join as join
from tapeflow.strings.text import length as length
from tapeflow.strings.text import lower as lower
from tapeflow.strings.text import reduce_join as reduce_join
from tapeflow.strings.text import regex_full_match as regex_full_match
from tapeflow.strings.text import regex_replace as regex_replace
from tapeflow.strings.text import strip as strip
from tapeflow.strings.text import substr as substr
from tapeflow.strings.text import unsorted_segment_join as unsorted_segment_join
from tapeflow.strings.text import upper as upper
from tapeflow.strings.unicode import unicode_decode as unicode_decode
from tapeflow.strings.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from tapeflow.strings.unicode import unicode_encode as unicode_encode
from tapeflow.strings.unicode import unicode_script as unicode_script
from tapeflow.strings.unicode import unicode_split as unicode_split
from tapeflow.strings.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from tapeflow.strings.unicode import unicode_transcode as unicode_transcode
