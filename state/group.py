"""The settings of one method, and the wordings of prompts: what the record of a part names."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Protocol, Self, TypeVar

from pydantic import AfterValidator, BaseModel, Field

Profile = Literal["builtin", "small", "capable"]
"""How prompts are written: for the built-in 135M model, for one of at most about eight billion
parameters, or for one that follows long instructions."""

GroupT = TypeVar("GroupT", bound="Group")


Limit = Annotated[int | None, Field(ge=0), AfterValidator(lambda value: value or None)]
"""A largest number. None is no limit, and so is 0."""
Amount = Annotated[float | None, Field(ge=0), AfterValidator(lambda value: value or None)]
"""A largest amount, such as of seconds. None is no limit, and so is 0."""


class Frozen(BaseModel, frozen=True, extra="forbid"):
    """Settings: never changed, and no unknown name among them."""


class Groups(Protocol):
    """All settings of a run, a `state.settings.fields.Context`."""

    def group(self, settings: type[GroupT]) -> GroupT:
        """The settings of one method."""


class Group(Frozen):
    """The settings of one strategy, index kind or search method.

    Its record names the class, and users write `--set GROUP.NAME=VALUE`.
    """

    group: ClassVar[str]
    """The name before the dot, such as `tree`."""

    @classmethod
    def of(cls, context: Groups) -> Self:
        """This group's settings in a run."""
        return context.group(cls)
