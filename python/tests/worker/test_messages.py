"""tests/worker/test_messages.py - messages of the control socket: round trips and malformed input."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mneme_worker import messages
from mneme_worker.messages import Refusal

GROUP = {"task": "reach", "count": 2, "seeds": [1, 2], "repeat": 1, "limit": 0, "keys": "sorted",
         "options": {"goals": "episode"}}  # fmt: skip
MAKE = {"verb": "make", "version": 1, "suite": "metaworld", "dtype": "f32", "fault": "stop",
        "groups": [GROUP]}  # fmt: skip
ATTACH = {"verb": "attach", "rows": 2, "observation": 39, "action": 4, "bytes": 4096,
          "offsets": {"action": 128}}  # fmt: skip


def encoded(request, **changes):
    return json.dumps({**request, **changes}).encode()


def test_requests():
    make = messages.decode_request(encoded(MAKE))
    assert (make.suite, make.dtype, make.fault) == ("metaworld", "f32", "stop")
    group = make.groups[0]
    assert (group.task, group.count, group.seeds, group.keys) == ("reach", 2, [1, 2], "sorted")
    assert group.options == {"goals": "episode"}
    attach = messages.decode_request(encoded(ATTACH))
    assert (attach.rows, attach.observation, attach.action, attach.bytes) == (2, 39, 4, 4096)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verb": "mak"}, "verb is 'mak'; allowed: make, attach"),
        ({"version": 2}, "version is 2"),
        ({"version": True}, "version is True"),
        ({"suite": 3}, "suite is 3"),
        ({"dtype": "f16"}, "dtype is 'f16'; allowed: f32, f64"),
        ({"fault": "panic"}, "allowed: stop, restart, drop"),
        ({"groups": []}, "at least one"),
        ({"groups": [3]}, "a group is 3"),
        ({"hello": 1}, "unknown key 'hello'"),
        ({"groups": [{**GROUP, "count": 0}]}, "count is 0"),
        ({"groups": [{**GROUP, "count": 3}]}, "a list of 3 numbers"),
        ({"groups": [{**GROUP, "seeds": [1, 2**31]}]}, "below 2"),
        ({"groups": [{**GROUP, "seeds": [1, 1.5]}]}, "a seed is 1.5"),
        ({"groups": [{**GROUP, "repeat": 0}]}, "repeat is 0"),
        ({"groups": [{**GROUP, "limit": -1}]}, "limit is -1"),
        ({"groups": [{**GROUP, "keys": "any"}]}, "allowed: sorted, native"),
        ({"groups": [{**GROUP, "options": {"a": 1}}]}, "an object of texts"),
        ({"groups": [{**GROUP, "color": "red"}]}, "unknown key 'color'"),
    ],
)
def test_malformed_make_is_rejected(changes, message):
    with pytest.raises(Refusal, match=message):
        messages.decode_request(encoded(MAKE, **changes))


@pytest.mark.parametrize(
    "changes",
    [{"rows": 0}, {"rows": 1e3}, {"observation": None}, {"action": -1}, {"bytes": 0}, {"offsets": []},
     {"offsets": {"action": 1.5}}, {"more": 1}],
)  # fmt: skip
def test_malformed_attach_is_rejected(changes):
    with pytest.raises(Refusal):
        messages.decode_request(encoded(ATTACH, **changes))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"3", b"\xff\xfe", b"null", b"[" * 60000, b'{"verb": ' + b"9" * 60000 + b"}",
     b" " * 70000],
)  # fmt: skip
def test_non_json_request_is_rejected(data):
    with pytest.raises(Refusal):
        messages.decode_request(data)


values = st.dictionaries(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789._", min_size=1, max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    max_size=20,
)


@given(st.text("abcdefgh", min_size=1), values)
def test_reply_round_trip(name, pairs):
    data = messages.encode_answer(name, list(pairs.items()))
    assert data.count(b"\n") == len(pairs)
    assert messages.decode_answer(data) == (name, pairs)


@given(st.integers(-1, 1 << 20), st.text(), st.text(), st.text(max_size=60000))
@settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example]
)
def test_error_fits_one_message(row, kind, message, traceback):
    many = 1 + 40000 // (len(traceback) + 1)
    data = messages.encode_error(row, kind, message * 200, traceback * many)
    assert len(data) <= messages.MOST_BYTES
    name, found = messages.decode_answer(data)
    assert name == "error" and set(found) == {"row", "kind", "message", "traceback"}
    assert found["row"] == str(row)


def test_traceback_keeps_its_end():
    _, found = messages.decode_answer(messages.encode_error(0, "E", "m", "x" * 50000 + "the end"))
    assert found["traceback"].endswith("the end") and len(found["traceback"]) <= 16384


def test_lone_surrogates_do_not_stop_an_error():
    _, found = messages.decode_answer(messages.encode_error(0, "E", "bad \ud800 name", "\udcff"))
    assert found["message"] == "bad ? name"


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"made\nx", b"made\n=1", b"made\na=1\na=2", b"m\xff", b"a" * 65537]
)
def test_malformed_reply_is_rejected(data):
    with pytest.raises(Refusal):
        messages.decode_answer(data)


def test_reply_over_limit_is_not_sent():
    with pytest.raises(Refusal, match="fewer groups"):
        messages.encode_answer("made", [("x", "y" * 70000)])


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def damaged(draw):
    """A request of the agreed form with some places changed, or bytes of no form."""
    request = json.loads(json.dumps(draw(st.sampled_from([MAKE, ATTACH]))))
    for _ in range(draw(st.integers(0, 3))):
        where = request
        while isinstance(where, (dict, list)) and where:
            keys = list(where) if isinstance(where, dict) else list(range(len(where)))
            key = draw(st.sampled_from(keys))
            if draw(st.booleans()) or not isinstance(where[key], (dict, list)):
                where[key] = draw(anything)
                break
            where = where[key]
    data = bytearray(json.dumps(request).encode())
    for _ in range(draw(st.integers(0, 2))):
        if data:
            at = draw(st.integers(0, len(data) - 1))
            data[at : at + draw(st.integers(0, 5))] = draw(st.binary(max_size=5))
    return bytes(data)


def take(data):
    """It is understood, or refused with a sentence: nothing else happens."""
    try:
        request = messages.decode_request(data)
    except Refusal as refusal:
        assert str(refusal) and len(str(refusal)) < 2000
    else:
        assert isinstance(request, (messages.Make, messages.Attach))


@given(st.composite(damaged)() | st.binary(max_size=300))
def test_damaged_requests(data):
    take(data)


@pytest.mark.slow
@given(st.composite(damaged)() | st.binary(max_size=3000))
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_damaged_requests_at_length(data):
    take(data)


def test_options_of_a_group():
    group = messages.Group("t", 1, [0], options={"a": "3", "b": "x", "c": "2.5"})
    assert group.take("b", "y", ("x", "y")) == "x" and group.take("b", "y") == "y"
    assert group.take_number("c", 1.0, 0, 9) == 2.5 and group.take_number("c", 1.0, 0, 9) == 1.0
    with pytest.raises(ValueError, match="unknown option a; known: d"):
        group.all_taken(("d",))
    with pytest.raises(ValueError, match="a=3; allowed: numbers from 5 to 9"):
        group.take_number("a", 6, 5, 9)
