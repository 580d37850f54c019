"""The table of health conditions: the colour that signs lead to, and the texts of all conditions."""

import pytest

from harvesting.monitoring.health import BY_CODE, Signs, judge, remedy, what

WELL = {"feeds": 1, "ran": True}


@pytest.mark.parametrize(
    ("signs", "colour", "code"),
    [
        ({}, "green", "well"),
        ({"resting": True, "failures": 6, "failed": True}, "red", "rests"),
        ({"failures": 3, "failed": True}, "red", "failing"),
        ({"failures": 1, "failed": True, "permanent": True}, "red", "broken"),
        ({"failures": 1, "failed": True}, "amber", "failed"),
        ({"unharvested": "2026-01-01T00:00:00+00:00"}, "red", "unharvested"),
        ({"silent": "2026-01-01T00:00:00+00:00"}, "amber", "silent"),
        ({"records": 49, "before": 100}, "red", "halved"),
        ({"records": 84, "before": 100}, "amber", "fewer"),
        ({"records": 86, "before": 100}, "green", "well"),
        ({"records": 0, "before": 19}, "green", "well"),
        ({"decisions": 1}, "amber", "decides"),
        ({"received": 100, "rejected": 21}, "red", "rejected"),
        ({"received": 100, "rejected": 20}, "green", "well"),
        ({"gaps": 1}, "amber", "gaps"),
        ({"paused": 1}, "amber", "paused"),
        ({"records": 100, "share": 0.3, "share_before": 0.2}, "amber", "worse"),
        ({"records": 100, "share": 0.5}, "amber", "many"),
        ({"records": 10, "share": 0.9}, "green", "well"),
        ({"ran": False}, "grey", "new"),
        ({"ran": False, "by_hand": True}, "grey", "by_hand"),
        ({"ran": False, "feeds": 0}, "grey", "bare"),
        ({"unapproved": True, "ran": False}, "amber", "unapproved"),
        ({"off": True, "resting": True}, "grey", "off"),
    ],
)
def test_the_first_condition_that_holds_decides(signs, colour, code):
    health = judge(Signs(**{**WELL, **signs}))
    assert (health.colour, health.reasons[0][0]) == (colour, code)


def test_graver_reasons_come_first_and_hide_those_they_imply():
    health = judge(Signs(resting=True, failures=6, failed=True, permanent=True, decisions=1, gaps=2))
    assert [code for code, _facts in health.reasons] == ["rests", "decides", "gaps"]


def test_urgency_follows_the_order_of_the_table():
    urgencies = [judge(signs).urgency for signs in (Signs(resting=True), Signs(decisions=1), Signs(), Signs(off=True))]
    assert urgencies == sorted(urgencies)


@pytest.mark.parametrize("code", BY_CODE)
def test_every_condition_has_texts_that_its_facts_fill(code):
    signs = Signs(
        reason=("http.500", {"url": "https://a.example.jp/"}),
        unharvested="2026-01-01T00:00:00+00:00",
        silent="2026-01-01T00:00:00+00:00",
        records=1,
        before=12345,
        share=0.305,
        share_before=0.2,
    )
    facts = {name: getattr(signs, name) for name in BY_CODE[code].facts}
    sentence = what(code, facts)
    assert sentence
    assert remedy(code)
    assert "%(" not in sentence
    assert "None" not in sentence
