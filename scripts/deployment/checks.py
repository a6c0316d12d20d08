"""The list of checks, in the order in which they run."""

import inspect
from typing import Callable, NamedTuple

# Checks that have passed on AWS, with the date of the first time. Add yours with the report as evidence.
VERIFIED_ON_AWS: dict[str, str] = {}


class Check(NamedTuple):
    """A check. `run` returns its evidence. It raises `Miss`, or `NotRun` with the reason."""

    name: str
    targets: tuple[str, ...]
    option: str | None
    run: Callable

    @property
    def summary(self):
        return inspect.getdoc(self.run).split("\n\n")[0].replace("\n", " ")

    @property
    def on_aws(self):
        return VERIFIED_ON_AWS.get(self.name, "never run on AWS")


CHECKS: list[Check] = []


def check(name, *targets, option=None):
    """Adds a function to the list. `option` is the option of scripts/smoke that the check requires."""

    def add(run):
        CHECKS.append(Check(name, targets, option, run))
        return run

    return add
