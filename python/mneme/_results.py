"""mneme/_results.py - repr, asdict and HTML of the result classes of the core."""

import html
from typing import Any

from . import _core

_NAMED = (
    "NewestMass",
    "IndexReplays",
    "Diagnosis",
    "Match",
    "FrontierRow",
    "Reason",
    "RunPoint",
    "Advice",
    "FeedbackReport",
    "LiveDiagnostics",
)
_OF_STATS = (
    "Interval",
    "Aggregates",
    "Comparison",
    "Shapley",
    "SpeedUp",
)


def _fields(kind: type) -> list[str]:
    return [name for name, member in vars(kind).items() if type(member).__name__ == "property"]


def _plain(value: Any) -> Any:
    if hasattr(value, "asdict"):
        return value.asdict()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple) and len(value) > 4:
        return f"[{len(value)} values]"
    return repr(value)


def _cell(value: Any) -> str:
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    if isinstance(value, list | tuple) and value and hasattr(value[0], "asdict"):
        return table(list(value[0].asdict()), [list(each.asdict().values()) for each in value])
    return html.escape(value if isinstance(value, str) else _written(value))


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A small table, as notebooks show it."""
    top = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def bars(values: list[float], width: int = 320, height: int = 60) -> str:
    """A histogram as an inline SVG."""
    highest = max(values, default=0)
    if not highest > 0:
        return ""
    step = width / len(values)
    drawn = "".join(
        f'<rect x="{k * step:.2f}" y="{height * (1 - value / highest):.2f}" '
        f'width="{step * 0.9:.2f}" height="{height * value / highest:.2f}"/>'
        for k, value in enumerate(values)
    )
    return f'<svg width="{width}" height="{height}" fill="currentColor" role="img">{drawn}</svg>'


def _equip(kind: type) -> None:
    names = _fields(kind)

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""
        return {name: _plain(getattr(self, name)) for name in names}

    def as_text(self: Any) -> str:
        inside = ", ".join(f"{name}={_written(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({inside})"

    def as_html(self: Any) -> str:
        shown = table(["", type(self).__name__], [[n, getattr(self, n)] for n in names])
        if hasattr(self, "age_histogram"):
            shown += "<p>draws by age, newest first</p>" + bars(list(self.age_histogram))
        return shown

    for name, function in (("asdict", asdict), ("__repr__", as_text), ("_repr_html_", as_html)):
        # As if the module had them, for stubs and help().
        function.__module__, function.__name__ = kind.__module__, name
        function.__qualname__ = f"{kind.__name__}.{name}"
    kind.asdict = asdict  # type: ignore[attr-defined]
    kind.__repr__ = as_text  # type: ignore[assignment, method-assign]
    kind._repr_html_ = as_html  # type: ignore[attr-defined]


for _name in _NAMED:
    _equip(getattr(_core, _name))
for _name in _OF_STATS:
    _equip(getattr(_core.stats, _name))


def _sampler_text(self: Any) -> str:
    return f"<mneme.Sampler {self.spec}>"


_sampler_text.__module__, _sampler_text.__name__ = "mneme._core", "__repr__"
_sampler_text.__qualname__ = "Sampler.__repr__"
_core.Sampler.__repr__ = _sampler_text  # type: ignore[assignment, method-assign]
