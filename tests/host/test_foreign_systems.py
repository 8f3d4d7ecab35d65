"""macOS and Windows: what can be tested elsewhere, which is how their answers are read."""

from __future__ import annotations

import sys

import pytest

from sleepd.host.macos import MacOS, drawing_from_battery, hid_idle_s
from sleepd.host.windows import Windows, elapsed_s, powered

ON_BATTERY = """\
Now drawing from 'Battery Power'
 -InternalBattery-0 (id=4522083)\t81%; discharging; 5:12 remaining present: true
"""
ON_MAINS = """\
Now drawing from 'AC Power'
 -InternalBattery-0 (id=4522083)\t100%; charged; 0:00 remaining present: true
"""
NO_BATTERY = "Now drawing from 'AC Power'\n"
ON_UPS = "Now drawing from 'UPS Power'\n"

REGISTRY = """\
+-o Root  <class IORegistryEntry, id 0x100000100, retain 33>
  +-o IOHIDSystem  <class IOHIDSystem, id 0x10000045a, registered, matched, active, busy 0 (0 ms), retain 18>
    | {
    |   "HIDIdleTime" = 754321000000
    |   "HIDParameters" = {"HIDInitialKeyRepeat"=416666666,"HIDIdleTimeOther"=5}
    | }
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (ON_BATTERY, True),
        (ON_MAINS, False),
        (NO_BATTERY, False),
        (ON_UPS, None),
        ("No power sources\n", None),
        ("", None),
        (None, None),
    ],
)
def test_macos_names_its_source_of_power(said: str | None, expected: bool | None) -> None:
    """In the first line of `pmset -g batt`."""
    assert expected is drawing_from_battery(said)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (REGISTRY, 754.321),
        (REGISTRY + REGISTRY.replace("754321000000", "2500000000"), 2.5),
        ('"HIDIdleTime" = 0\n', 0.0),
        ('"HIDIdleTime" = <00ff>\n', None),
        ('"HIDIdleTime" = ' + "9" * 5000, None),
        ("", None),
        (None, None),
    ],
)
def test_macos_counts_nanoseconds(said: str | None, expected: float | None) -> None:
    """Of several devices the one that was last used counts."""
    assert expected == hid_idle_s(said)


@pytest.mark.skipif(sys.platform == "darwin", reason="would ask a real Mac")
def test_without_its_commands_macos_cannot_tell() -> None:
    """Nothing fails."""
    mac = MacOS()
    assert (None, None, False) == (mac.on_battery(), mac.idle_s(), mac.notify("sleepd", "text"))


@pytest.mark.parametrize(("line", "expected"), [(0, True), (1, False), (255, None), (7, None)])
def test_windows_numbers_its_sources_of_power(line: int, expected: bool | None) -> None:
    """255 is unknown."""
    assert expected is powered(line)


@pytest.mark.parametrize(("then", "now", "expected"), [(1_000, 61_500, 60.5), (2**32 - 1_000, 2_000, 3.0), (5, 5, 0.0)])
def test_windows_counts_milliseconds_and_starts_again(then: int, now: int, expected: float) -> None:
    """After 49.7 days."""
    assert expected == elapsed_s(then, now)


@pytest.mark.skipif(sys.platform == "win32", reason="would ask a real Windows")
def test_elsewhere_windows_cannot_tell() -> None:
    """Nothing fails, and nothing is shown."""
    windows = Windows()
    assert (None, None, False) == (windows.on_battery(), windows.idle_s(), windows.notify("sleepd", "text"))
