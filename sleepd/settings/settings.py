"""Everything a user can set, put together from the sections in `sleepd.settings.sections`.

Each field's description says what the key does and why its default is what it is; the reference in
`docs/reference/settings.md` and the file that `sleepd init` writes are made from these classes.
`sleepd.settings.config` says where the values come from.
"""

from __future__ import annotations

from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from sleepd.settings.sections.learning import Gate, Optimizer
from sleepd.settings.sections.living import Conditions, Log, Night, Notify
from sleepd.settings.sections.models import Model, Reflection
from sleepd.settings.sections.reading import Embedder, Harvest, Mine
from sleepd.settings.sections.section import Section


class Settings(BaseSettings):
    """All sections. Made by `sleepd.settings.config.load`, which names the origin of every wrong value."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix="SLEEPD_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    harvest: Harvest = Harvest()
    embedder: Embedder = Embedder()
    mine: Mine = Mine()
    model: Model = Model()
    reflection: Reflection = Reflection()
    optimizer: Optimizer = Optimizer()
    gate: Gate = Gate()
    night: Night = Night()
    conditions: Conditions = Conditions()
    notify: Notify = Notify()
    log: Log = Log()

    def __init__(self, *sources: PydanticBaseSettingsSource, **sections: Section) -> None:
        """The given sections over the sources, the first winning; without either, the defaults alone."""
        super().__init__(_build_sources=((InitSettingsSource(type(self), dict(sections)), *sources), {}))

    def for_reflection(self) -> Model:
        """The settings of the reflection model: `[model]` with `[reflection]` over it.

        Prices are dropped when the model differs, and the address as well when the adapter does: they are facts
        about the other one.
        """
        chosen = {key: value for key, value in self.reflection.model_dump().items() if value is not None}
        foreign: dict[str, object] = {}
        if self.reflection.name not in (None, self.model.name):
            foreign = {"model": None, "base_url": None}
        if foreign or self.reflection.model not in (None, self.model.model):
            foreign |= {"price_in_per_mtok": None, "price_out_per_mtok": None}
        return self.model.model_copy(update=foreign | chosen)


def section_classes() -> dict[str, type[Section]]:
    """Section name -> its class, in the order of the file."""
    return {name: type(field.default) for name, field in Settings.model_fields.items()}
