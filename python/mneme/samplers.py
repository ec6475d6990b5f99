"""mneme/samplers.py - every sampler of the registry as a small class with its parameters.

The classes are made from the registry, so that a sampler added to the core is here by itself:

>>> TruncatedGeometric(alpha=12).spec
'truncated_geometric:alpha=12'
>>> TruncatedGeometric(alpha=12).probabilities(size=3, capacity=3).round(4).tolist()
[0.0002, 0.0154, 0.9844]
"""

from . import _core


def _written(value):
    """A parameter's value as a spec string has it."""
    if isinstance(value, SamplerSpec):
        return f"({value.spec})"
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"a parameter is a number, a word or a sampler, not {value!r}")
    return str(int(value)) if float(value).is_integer() else repr(float(value))


class SamplerSpec:
    """A sampler and its parameters, written as the spec string that every part of mneme takes."""

    name = ""
    parameters = ()
    prioritized = False

    def __init__(self, **given):
        for key, value in given.items():
            if key not in self.parameters:
                known = ", ".join(self.parameters)
                raise TypeError(f"{type(self).__name__} has no parameter '{key}'; it has {known}")
            setattr(self, key, value)
        values = [f"{key}={_written(value)}" for key, value in given.items()]
        self.spec = self.name + (":" + ",".join(values) if values else "")
        if not self.prioritized:
            _core.make_sampler(self.spec)  # refuses what is out of range, here and not later

    def sample(self, size, capacity, count, seed=0, progress=0.0):
        """That many indices from a buffer with `size` of `capacity` stored; 0 is the oldest."""
        return self._made().sample(size, capacity, count, seed=seed, progress=progress)

    def probabilities(self, size, capacity, progress=0.0):
        """The exact probability of every index, oldest first."""
        return self._made().probabilities(size, capacity, progress=progress)

    def _made(self):
        if self.prioritized:
            raise ValueError(
                f"{self.name} draws by more than age: it works inside a ReplayBuffer only"
            )
        return _core.make_sampler(self.spec)

    def __eq__(self, other):
        return isinstance(other, SamplerSpec) and self.spec == other.spec

    def __hash__(self):
        return hash(self.spec)

    def __str__(self):
        return self.spec

    def __repr__(self):
        inside = ", ".join(
            f"{key}={getattr(self, key)!r}" for key in self.__dict__ if key != "spec"
        )
        return f"{type(self).__name__}({inside})"


def class_name(name):
    """truncated_geometric -> TruncatedGeometric; short names of the literature stay as they are."""
    kept = {"ere": "ERE", "her": "HER", "per": "PER", "rank_per": "RankPER", "reaper": "ReaPER"}
    return kept.get(name) or "".join(word.capitalize() for word in name.split("_"))


def _class_of(row):
    lines = [row["summary"][0].upper() + row["summary"][1:] + ".", ""]
    for parameter in row["parameters"]:
        allowed = parameter.get("choices") or (
            f"{parameter['lowest']:g} to {parameter['highest']:g}"
            if "lowest" in parameter
            else "a sampler"
        )
        lines.append(
            f"{parameter['name']}: {parameter['help']} (default {parameter['default']}; {allowed})"
        )
    members = {
        "__doc__": "\n".join(lines),
        "__module__": __name__,
        "name": row["name"],
        "prioritized": row["prioritized"],
        "parameters": tuple(parameter["name"] for parameter in row["parameters"]),
        **{parameter["name"]: parameter["default"] for parameter in row["parameters"]},
    }
    return type(class_name(row["name"]), (SamplerSpec,), members)


class HER(SamplerSpec):
    """Hindsight goals for a share k / (k + 1) of the rows that another sampler draws.

    k: relabelled rows for each that keeps its goal (default 4; 0 and more)
    strategy: which goal of the row's episode (default future; future, final, episode)
    of: the sampler that draws the rows (default uniform; a sampler)
    """

    name = "her"
    parameters = ("k", "strategy", "of")
    prioritized = True  # inside a ReplayBuffer only
    k, strategy, of = 4.0, "future", "uniform"


_classes = [*(_class_of(row) for row in _core.registry()), HER]
globals().update({each.__name__: each for each in _classes})
__all__ = ["SamplerSpec", *(each.__name__ for each in _classes)]
