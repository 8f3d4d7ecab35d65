"""Whether a Linux machine runs on its battery, from files such as the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sleepd.host.linux import Linux

Supply = dict[str, str]
MAINS_ON = {"type": "Mains", "online": "1"}
MAINS_OFF = {"type": "Mains", "online": "0"}


def battery(status: str, **more: str) -> Supply:
    return {"type": "Battery", "present": "1", "status": status, **more}


CASES: dict[str, tuple[bool | None, dict[str, Supply]]] = {
    "a desktop without any supply": (False, {}),
    "a laptop on mains": (False, {"AC": MAINS_ON, "BAT0": battery("Charging")}),
    "a laptop on its battery": (True, {"AC": MAINS_OFF, "BAT0": battery("Discharging")}),
    "a full battery on mains": (False, {"ADP1": MAINS_ON, "BAT0": battery("Full")}),
    "charging was stopped at a limit": (False, {"ADP1": MAINS_ON, "BAT0": battery("Not charging")}),
    "mains too weak, the battery helps": (False, {"AC": MAINS_ON, "BAT0": battery("Discharging")}),
    "charged through USB": (False, {"ucsi": {"type": "USB", "online": "1"}, "BAT0": battery("Charging")}),
    "charged through USB at a negotiated voltage": (
        False,
        {"ucsi": {"type": "USB_PD", "online": "2"}, "BAT0": battery("Discharging")},
    ),
    "an idle USB port beside live mains": (
        False,
        {"ucsi": {"type": "USB", "online": "0"}, "AC": MAINS_ON, "BAT0": battery("Full")},
    ),
    "an idle USB port on a desktop": (False, {"ucsi": {"type": "USB", "online": "0"}}),
    "a battery and no other entry": (True, {"BAT0": battery("Discharging")}),
    "a charging battery and no other entry": (False, {"BAT0": battery("Charging")}),
    "two batteries, one of them in use": (True, {"BAT0": battery("Full"), "BAT1": battery("Discharging")}),
    "a mouse on its battery": (False, {"mouse": battery("Discharging", scope="Device")}),
    "a mouse on a laptop on mains": (False, {"mouse": battery("Discharging", scope="Device"), "AC": MAINS_ON}),
    "a phone's charger, seen as a device": (
        True,
        {"pad": {"type": "USB", "online": "1", "scope": "Device"}, "BAT0": battery("Discharging")},
    ),
    "an empty bay": (False, {"BAT1": battery("Discharging", present="0"), "AC": MAINS_OFF}),
    "mains off, the battery says nothing of use": (True, {"AC": MAINS_OFF, "BAT0": battery("Unknown")}),
    "only a battery that says nothing of use": (None, {"BAT0": battery("Unknown")}),
    "only a battery without a status": (None, {"BAT0": {"type": "Battery"}}),
    "rubbish in every file": (None, {"AC": {"type": "\ufffd", "online": "maybe"}, "BAT0": {"type": "??"}}),
    "rubbish for a type beside live mains": (False, {"odd": {"online": "1"}, "AC": MAINS_ON}),
    "an entry without files": (None, {"odd": {}}),
    "rubbish in online, a discharging battery": (
        True,
        {"AC": {"type": "Mains", "online": "\x00" * 5000}, "BAT0": battery("Discharging")},
    ),
}


@pytest.mark.parametrize(("expected", "supplies"), CASES.values(), ids=CASES.keys())
def test_power_is_read_from_sysfs(tmp_path: Path, expected: bool | None, supplies: dict[str, Supply]) -> None:
    """The machine's own supplies count; what cannot be told is None."""
    lay(tmp_path, supplies)
    assert expected is Linux(tmp_path).on_battery()


def lay(sysfs: Path, supplies: dict[str, Supply]) -> None:
    (sysfs / "class" / "power_supply").mkdir(parents=True)
    for name, files in supplies.items():
        folder = sysfs / "class" / "power_supply" / name
        folder.mkdir()
        for file, word in files.items():
            (folder / file).write_text(f"{word}\n", encoding="utf-8")


def test_a_system_without_that_folder_cannot_tell(tmp_path: Path) -> None:
    """As in a container."""
    assert None is Linux(tmp_path).on_battery()


def test_a_folder_where_a_file_should_be_is_no_reason_to_fail(tmp_path: Path) -> None:
    """Nor is a link that leads nowhere."""
    lay(tmp_path, {"BAT0": {"type": "Battery"}})
    battery_folder = tmp_path / "class" / "power_supply" / "BAT0"
    (battery_folder / "status").mkdir()
    (battery_folder / "online").symlink_to("nowhere")
    assert None is Linux(tmp_path).on_battery()


def test_the_kernel_lays_its_entries_out_as_links(tmp_path: Path) -> None:
    """`class/power_supply/BAT0` is a link into the tree of devices."""
    lay(tmp_path, {})
    device = tmp_path / "devices" / "BAT0"
    device.mkdir(parents=True)
    (device / "type").write_text("Battery\n")
    (device / "status").write_text("Discharging\n")
    (tmp_path / "class" / "power_supply" / "BAT0").symlink_to(device)
    assert True is Linux(tmp_path).on_battery()
