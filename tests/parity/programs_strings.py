"""`tf.strings`: values, rows and refusals."""

R = "R = tf.ragged.constant\n"
EXPRESSIONS = r"""
[tf.strings.as_string(v, precision=2, width=9, fill=f) for v in (1.5, -2.25) for f in ('', '0',
    '-', '+')]
[tf.strings.as_string(v, scientific=s, shortest=not s) for v in (1e20, 1.1, float('nan')) for s in
    (False, True)]
[tf.strings.as_string(v, width=6, fill='0') for v in (5, -3, True, 'abc', 1 + 2j)]
tf.strings.as_string(5, precision=2)
tf.strings.as_string(1.0, fill='x')
tf.strings.as_string(1.0, fill='00')
tf.strings.as_string(1.0, scientific=True, shortest=True)
[tf.strings.split(' a b  c ', maxsplit=n) for n in (-1, 0, 1, 2, 5)]
[tf.strings.split(s, ',', maxsplit=n) for s in ('a,,b', '', ',') for n in (-1, 0, 1)]
tf.strings.split([['a b', 'c'], ['d', 'e f g']]).to_list()
tf.strings.split(R([['a b'], ['c', 'd e']])).to_list()
tf.strings.split(1.0)
tf.strings.bytes_split(R([['ab'], ['c', '']])).to_list()
tf.strings.join([])
tf.strings.join(['a', ['b', 'c']], separator='-')
tf.strings.join([['a', 'b'], ['c', 'd', 'e']])
tf.strings.join([R([['a'], ['b', 'c']]), 'x']).to_list()
[tf.strings.length(['aé', b'\xff\x80'], u) for u in ('BYTE', 'UTF8_CHAR')]
tf.strings.length('a', 'FOO')
[f(s, e) for f in (tf.strings.lower, tf.strings.upper) for s in ('ÀBİΣß', 'ŉ') for e in ('',
    'utf-8')]
tf.strings.lower(b'\xffA', 'utf-8')
tf.strings.lower('a', 'latin')
tf.strings.strip([' a\t\n', '\v b\f', '\x00a '])
[tf.strings.substr('hello', p, n) for p, n in ((1, 2), (-2, 2), (5, 2), (1, -1), (1, 100))]
[tf.strings.substr('aé😀b', p, n, unit='UTF8_CHAR') for p, n in ((1, 2), (-2, 2), (4, 2), (1, -2))]
tf.strings.substr('hello', 6, 1)
tf.strings.substr('hello', -9, 1)
tf.strings.substr([['abcdef', 'ghijkl']], [[1], [2]], [[3], [2]])
tf.strings.substr(['abc'], [1], [[1]])
[tf.strings.to_number(s) for s in ('inf', '-Inf', '0x1p3', '1.', '.5', ' 3.5 ', '1e400')]
[tf.strings.to_number(s, tf.int32) for s in ('+5', '-0', ' 7 ')]
tf.strings.to_number('1_0')
tf.strings.to_number('1e3', tf.int32)
tf.strings.to_number('2147483648', tf.int32)
tf.strings.to_number('18446744073709551615', tf.uint64)
tf.strings.to_number(R([['1', '2'], ['3']])).to_list()
tf.strings.regex_replace('abxd', 'x*', '<\\0>')
tf.strings.regex_replace('aéb', '\\w+', '-')
tf.strings.regex_replace('éx', '(?i)É', '-')
tf.strings.regex_replace('foo éfoo', '\\bfoo\\b', '-')
tf.strings.regex_replace('ab\n', '$', '-')
tf.strings.regex_replace('a\na', '(?m)^a', '-')
tf.strings.regex_replace('ab12', '[[:alpha:]]+', '-')
tf.strings.regex_replace('αb1', '\\p{Greek}|\\PL', '-')
tf.strings.regex_replace('a.b a_b', '\\Qa.b\\E', '-')
tf.strings.regex_replace('aaa', '(?U)a+', '-')
tf.strings.regex_replace('aBCc', 'a(?i)b|c', '-')
tf.strings.regex_replace('a{,2}', 'a{,2}', '-')
tf.strings.regex_replace(b'a\xffb', '.', '-')
tf.strings.regex_replace('abc', '(b)', '[\\2]')
tf.strings.regex_replace('abcb', '(x)?b', '[\\1]', replace_global=False)
tf.strings.regex_replace('a', '(?=a)', '')
tf.strings.regex_replace('aa', '(a)\\1', '')
tf.strings.regex_replace('a', '(a', '')
tf.strings.regex_replace('a', ['b', 'c'], '')
tf.strings.regex_full_match(['abc', 'ab', 'abc\n'], 'a.c')
tf.strings.regex_full_match('ab', 'a|ab')
tf.strings.to_hash_bucket([s * n for s in 'ab' for n in (0, 1, 5, 8, 17)], 1000003)
tf.strings.to_hash_bucket_fast(['é' * n for n in (0, 1, 3, 8, 12, 16, 17, 32, 33, 65, 200)], 2**62)
tf.strings.to_hash_bucket_strong(['é' * n for n in (0, 1, 4, 8, 100)], 2**62, key=[1, -2])
tf.strings.to_hash_bucket_fast('a', 0)
tf.strings.to_hash_bucket_strong('a', 5, key=[1])
tf.strings.ngrams(['a', 'b', 'c'], 2)
tf.strings.ngrams(R([['a', 'b', 'c'], ['d']]), [1, 2], separator='|').to_list()
tf.strings.ngrams(R([['a', 'b', 'c'], ['d'], []]), 3, pad_values=('<', '>')).to_list()
tf.strings.ngrams(['a', 'b'], 3, pad_values='x', padding_width=1)
tf.strings.ngrams(R([['a'], [], ['b', 'c']]), [3, 5], pad_values='p', padding_width=1,
    preserve_short_sequences=True).to_list()
tf.strings.ngrams([['a', 'b'], ['c', 'd']], 2)
tf.strings.ngrams(['a'], 0)
tf.strings.ngrams('a', 1)
tf.strings.ngrams(['a', 'b'], 2, padding_width=1)
tf.strings.unsorted_segment_join([['a', 'b'], ['c', 'd'], ['e', 'f']], [1, 0, 1], 3, separator='-')
tf.strings.unsorted_segment_join(['a', 'b'], [1, -1], 2)
tf.strings.unsorted_segment_join(['a', 'b', 'c'], [1, 0], 2)
tf.strings.unsorted_segment_join(['a'], [0], -1)
[tf.strings.reduce_join([['a', 'b'], ['c', 'd']], a, separator='.') for a in (None, 0, -1, [0, 1],
    [1, 0], [])]
tf.strings.reduce_join([['a', 'b'], ['c', 'd']], keepdims=True)
tf.strings.reduce_join([['a', 'b'], ['c', 'd']], 2)
tf.strings.reduce_join([['a', 'b'], ['c', 'd']], [0, 0])
[tf.strings.reduce_join(R([['a'], ['b', 'c']]), a, separator='+') for a in (None, 0, 1, -1)]
[tf.strings.unicode_decode(b'\0a\0b', e) for e in ('UTF-8', 'UTF-16-BE', 'UTF-16-LE', 'UTF-16',
    'UTF-32-BE', 'latin1')]
[tf.strings.unicode_decode_with_offsets(b, 'UTF-8', errors=e) for b in (b'a\xffb', b'\xe2\x82a',
    b'\xed\xa0\x80', b'\xc0\x80') for e in ('replace', 'ignore')]
tf.strings.unicode_decode(b'\xff', 'UTF-8', errors='strict')
tf.strings.unicode_decode('a', 'FOO')
tf.strings.unicode_decode('a\x00\x1f\x7f\u0085\n', 'UTF-8', replace_control_characters=True)
tf.strings.unicode_decode(b'\xff', 'UTF-8', replacement_char=0x110000)
tf.strings.unicode_encode([97, 0xD800, 0x110000, -1, 0xFFFE], 'UTF-8')
tf.strings.unicode_encode([97, 0xD800], 'UTF-8', errors='strict')
tf.strings.unicode_encode([97], 'latin1')
tf.strings.unicode_encode(R([[97], [98, 99]]), 'UTF-16-BE')
tf.strings.unicode_split(['aé', '😀'], 'UTF-8').to_list()
[r.to_list() for r in tf.strings.unicode_split_with_offsets(['aé', '😀'], 'UTF-8')]
tf.strings.unicode_transcode(['aé', b'\xff'], 'UTF-8', 'UTF-32-BE')
tf.strings.unicode_script([97, 0x3B1, 0x1F600, -1, 0x110000, 0x10FFFF, 0x4E00, 0x5D0])
tf.strings.format('a {} b {}', (tf.constant([1, 2]), tf.constant('x')))
tf.strings.format('{}', tf.range(10), summarize=-1)
tf.strings.format('a {}', [1, 2])
"""
# A line that is set in goes on with the one before.
LINES = EXPRESSIONS.replace("\n    ", " ").strip().splitlines()
PROGRAMS = [(line, R + line) for line in LINES]
