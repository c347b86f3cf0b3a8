"""No public name appears, disappears or changes its signature unnoticed."""

from tests.public_api import current, difference


def test_the_public_api_is_as_recorded() -> None:
    changes = difference()
    assert not changes, (
        "\n" + "\n".join(changes) + "\n\nIf this change is deliberate, record it with `make api`."
    )


def test_the_listing_is_sorted_and_without_repeats() -> None:
    lines = current()
    assert lines == sorted(set(lines))


def test_nothing_internal_is_listed() -> None:
    leaks = [line for line in current() if "._" in line or "<locals>" in line or " at 0x" in line]
    assert not leaks
