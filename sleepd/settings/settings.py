"""Everything a user can set: the sections of `sleepd.settings.sections` together.

`sleepd.settings.config` says where the values come from.
"""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel, ConfigDict

from sleepd.settings.sections import (
    ConditionsConfig,
    EmbedderConfig,
    GateConfig,
    HarvestConfig,
    LessonsConfig,
    LogConfig,
    McpConfig,
    MineConfig,
    ModelConfig,
    NightConfig,
    NotifyConfig,
    OptimizerConfig,
    ReflectionConfig,
    Section,
)


class Settings(BaseModel):
    """All sections. Made by `sleepd.settings.config.load`, which names the origin of every wrong value."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    harvest: HarvestConfig = HarvestConfig()
    embedder: EmbedderConfig = EmbedderConfig()
    mine: MineConfig = MineConfig()
    lessons: LessonsConfig = LessonsConfig()
    model: ModelConfig = ModelConfig()
    reflection: ReflectionConfig = ReflectionConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    gate: GateConfig = GateConfig()
    night: NightConfig = NightConfig()
    conditions: ConditionsConfig = ConditionsConfig()
    notify: NotifyConfig = NotifyConfig()
    mcp: McpConfig = McpConfig()
    log: LogConfig = LogConfig()

    def for_reflection(self) -> ModelConfig:
        """The settings of the reflection model: `[model]` with `[reflection]` over it.

        The task model's prices are dropped when the model differs, its address and key as well when the adapter does:
        they are facts about the other one. So are its temperature and seed, which another adapter may not take.
        """
        chosen = {key: value for key, value in asdict(self.reflection).items() if value is not None}
        foreign: dict[str, object] = {}
        if self.reflection.name not in (None, self.model.name):
            foreign = dict.fromkeys(("model", "base_url", "key_variable", "temperature", "seed"))
        if foreign or self.reflection.model not in (None, self.model.model):
            foreign |= {"price_in_per_mtok": None, "price_out_per_mtok": None}
        return ModelConfig(**{**asdict(self.model), **foreign, **chosen})

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The variables that were named for keys."""
        named = (self.model.key_variable, self.reflection.key_variable)
        return tuple(name for name in named if name is not None)


def section_classes() -> dict[str, type[Section]]:
    """Section name -> its class, in the order of the file."""
    return {name: type(field.default) for name, field in Settings.model_fields.items()}
