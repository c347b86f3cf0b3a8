"""`Dimension`: arithmetic and comparisons in which the unknown stays unknown."""

import pickle

import pytest

from tapeflow._src.core.dimension import Dimension

UNKNOWN = Dimension(None)


def test_text_and_value():
    assert (repr(Dimension(3)), str(Dimension(3)), Dimension(3).value) == ("Dimension(3)", "3", 3)
    assert (repr(UNKNOWN), str(UNKNOWN), UNKNOWN.value) == ("Dimension(None)", "?", None)
    assert repr(pickle.loads(pickle.dumps(Dimension(3)))) == "Dimension(3)"


@pytest.mark.parametrize("wrong", ["a", "3", 1.0])
def test_no_size(wrong):
    with pytest.raises(TypeError, match="must be an int"):
        Dimension(wrong)


def test_negative_size():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        Dimension(-1)
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        Dimension(1) - 2


def test_arithmetic():
    seven = Dimension(7)
    results = [
        *(seven + 1, 1 + seven, seven - 2, 9 - seven, seven * 2, 2 * seven),
        *(seven // 2, 15 // seven, seven % 4, 10 % seven, seven + Dimension(1)),
    ]
    assert [result.value for result in results] == [8, 8, 5, 2, 14, 14, 3, 2, 3, 3, 8]
    for unknown in (seven + None, UNKNOWN // 2, 2 * UNKNOWN, UNKNOWN % UNKNOWN):
        assert unknown.value is None
    with pytest.raises(TypeError):
        seven / 2
    with pytest.raises(TypeError):
        seven + "a"


def test_comparisons():
    three = Dimension(3)
    assert three == 3 and three != 4 and three < 4 and three <= 3 and three > 2 and three >= 3
    assert three != "3"
    for unknown in (three == UNKNOWN, three != None, UNKNOWN < 4, UNKNOWN == UNKNOWN):  # noqa: E711
        assert unknown is None
    with pytest.raises(TypeError):
        hash(three)


def test_as_an_int():
    assert [10, 11][Dimension(1)] == 11 and int(Dimension(3)) == 3
    assert not Dimension(0) and not UNKNOWN
    with pytest.raises(TypeError):
        int(UNKNOWN)


def test_merging():
    assert Dimension(3).merge_with(None).value == UNKNOWN.merge_with(3).value == 3
    assert Dimension(3).is_compatible_with(None) and not Dimension(3).is_compatible_with(4)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        Dimension(3).merge_with(4)


def test_sizes_have_no_fractions():
    for divide in (lambda: Dimension(6) / 2, lambda: 6 / Dimension(2)):
        with pytest.raises(TypeError, match=r"for /: '.*' and '.*', please use // instead"):
            divide()
