"""mneme/worker/messages.py - messages on the control socket (docs/suites/workers.md).

Requests are JSON objects, replies are lines of `key=value`. Both are validated: anything else is a
Refusal that says what was found and what is allowed.
"""

import json
from collections import namedtuple
from urllib.parse import quote, unquote

from . import VERSION

MOST_BYTES = 65536  # of one message, either way
MOST_TRACEBACK = 16384  # bytes before encoding, which makes at most three of each
MOST_SENTENCE = 4096
MOST_ROWS = 1 << 20
MOST_WIDTH = 1_000_000  # numbers of an observation or action
SEEDS = 1 << 31
SAFE = " /:,.()[]'"


class Refusal(ValueError):
    """A malformed message."""


Make = namedtuple("Make", "suite dtype fault groups")
Attach = namedtuple("Attach", "rows observation action bytes offsets")


class Group:
    """`count` environments of one task. `options`: keys of the task spec that the suite has; take()
    them."""

    def __init__(self, task, count, seeds, repeat=1, limit=0, keys="sorted", options=None):
        self.task, self.count, self.seeds = task, count, list(seeds)
        self.repeat, self.limit, self.keys = repeat, limit, keys
        self.options = dict(options or {})

    def take(self, name, default, choices=None):
        """Removes an option and returns its text."""
        value = self.options.pop(name, default)
        if choices is not None and value not in choices:
            raise ValueError(f"{self.task}: {name}={value}; allowed: {', '.join(choices)}")
        return value

    def take_number(self, name, default, low, high):
        text = self.options.pop(name, None)
        if text is None:
            return default
        try:
            value = type(default)(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise ValueError(f"{self.task}: {name}={text}; allowed: numbers from {low} to {high}")
        return value

    def all_taken(self, known):
        """Rejects options that are left."""
        if self.options:
            left = ", ".join(sorted(self.options))
            raise ValueError(
                f"{self.task}: unknown option {left}; known: {', '.join(known) or 'none'}"
            )


def _whole(where, name, low, high):
    value = where.get(name)
    if type(value) is not int or not low <= value <= high:
        raise Refusal(f"{name} is {_shown(value)}; allowed: whole numbers from {low} to {high}")
    return value


def _text(where, name, choices=None):
    value = where.get(name)
    if not isinstance(value, str) or not value or (choices and value not in choices):
        allowed = ", ".join(choices) if choices else "text"
        raise Refusal(f"{name} is {_shown(value)}; allowed: {allowed}")
    return value


def _shown(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _only(where, what, known):
    unknown = sorted(set(where) - set(known))
    if unknown:
        raise Refusal(f"{what} has the unknown key {_shown(unknown[0])}; known: {', '.join(known)}")


def _group(found):
    if not isinstance(found, dict):
        raise Refusal(f"a group is {_shown(found)}; allowed: objects")
    _only(found, "a group", ("task", "count", "seeds", "repeat", "limit", "keys", "options"))
    count = _whole(found, "count", 1, MOST_ROWS)
    seeds = found.get("seeds")
    if not isinstance(seeds, list) or len(seeds) != count:
        raise Refusal(f"seeds is {_shown(seeds)}; allowed: a list of {count} numbers")
    for seed in seeds:
        if type(seed) is not int or not 0 <= seed < SEEDS:
            raise Refusal(f"a seed is {_shown(seed)}; allowed: whole numbers below 2^31")
    options = found.get("options")
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()):
        raise Refusal(f"options is {_shown(options)}; allowed: an object of texts")
    return Group(
        _text(found, "task"),
        count,
        seeds,
        _whole(found, "repeat", 1, 1_000_000),
        _whole(found, "limit", 0, 1_000_000_000),
        _text(found, "keys", ("sorted", "native")),
        options,
    )


def decode_request(data):
    """Make or Attach. Throws Refusal."""
    if len(data) > MOST_BYTES:
        raise Refusal(f"a request has {len(data)} bytes; {MOST_BYTES} are allowed")
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refusal(f"a request is not JSON: {_shown(str(error))}") from None
    if not isinstance(found, dict):
        raise Refusal(f"a request is {_shown(found)}; allowed: objects")
    verb = _text(found, "verb", ("make", "attach"))
    if verb == "attach":
        _only(found, "attach", ("verb", "rows", "observation", "action", "bytes", "offsets"))
        offsets = found.get("offsets")
        if not isinstance(offsets, dict) or not all(type(v) is int for v in offsets.values()):
            raise Refusal(f"offsets is {_shown(offsets)}; allowed: an object of whole numbers")
        return Attach(
            _whole(found, "rows", 1, MOST_ROWS),
            _whole(found, "observation", 1, MOST_WIDTH),
            _whole(found, "action", 1, MOST_WIDTH),
            _whole(found, "bytes", 1, 1 << 46),
            offsets,
        )
    _only(found, "make", ("verb", "version", "suite", "dtype", "fault", "groups"))
    _whole(found, "version", VERSION, VERSION)
    groups = found.get("groups")
    if not isinstance(groups, list) or not groups:
        raise Refusal(f"groups is {_shown(groups)}; allowed: a list of at least one")
    groups = [_group(each) for each in groups]
    rows = sum(group.count for group in groups)
    if rows > MOST_ROWS:
        raise Refusal(f"the groups have {rows} rows; {MOST_ROWS} are allowed")
    return Make(
        _text(found, "suite"),
        _text(found, "dtype", ("f32", "f64")),
        _text(found, "fault", ("stop", "restart", "drop")),
        groups,
    )


def encode_answer(name, values=()):
    """`values`: pairs of key and value. Throws Refusal if it exceeds one message."""
    lines = [name]
    lines += [f"{key}={quote(str(value), safe=SAFE, errors='replace')}" for key, value in values]
    data = "\n".join(lines).encode("ascii")
    if len(data) > MOST_BYTES:
        raise Refusal(
            f"the answer {name} has {len(data)} bytes; {MOST_BYTES} are allowed: fewer groups"
        )
    return data


def decode_answer(data):
    """(name, values), for tests and tools that drive a worker. Throws Refusal."""
    if len(data) > MOST_BYTES:
        raise Refusal(f"an answer has {len(data)} bytes; {MOST_BYTES} are allowed")
    try:
        lines = data.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise Refusal("an answer has bytes that are not ASCII") from None
    values = {}
    for line in lines[1:]:
        key, equals, value = line.partition("=")
        if not equals or not key or key in values:
            raise Refusal(
                f"an answer has the line {_shown(line)}; allowed: key=value, each key once"
            )
        values[key] = unquote(value, errors="replace")
    if not lines[0]:
        raise Refusal("an answer has no name")
    return lines[0], values


def _cut(text, most, end):
    """At most `most` bytes of the beginning, or of the end."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text
    kept = data[-(most - 4) :] if end else data[: most - 4]
    kept = kept.decode("utf-8", "ignore")
    return "... " + kept if end else kept + " ..."


def encode_error(row, kind, message, traceback=""):
    """An `error` reply that fits one message; of a long traceback the end is kept."""
    return encode_answer(
        "error",
        [
            ("row", row),
            ("kind", _cut(kind, 256, False)),
            ("message", _cut(message, MOST_SENTENCE, False)),
            ("traceback", _cut(traceback, MOST_TRACEBACK, True)),
        ],
    )
