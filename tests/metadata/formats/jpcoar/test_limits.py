"""Values at the limits of the rules of JPCOAR: the last one that is right, and the first one that is wrong."""

import pytest

from tests.metadata.formats.jpcoar.test_read import CREATOR, TITLE, read_jpcoar
from tests.metadata.formats.jpcoar.test_rules import DOCTORAL, inside, issue_codes, issues


def point(longitude: str, latitude: str) -> str:
    return (
        "<datacite:geoLocation><datacite:geoLocationPoint>"
        f"<datacite:pointLongitude>{longitude}</datacite:pointLongitude>"
        f"<datacite:pointLatitude>{latitude}</datacite:pointLatitude>"
        "</datacite:geoLocationPoint></datacite:geoLocation>"
    )


def box(**limits: str) -> str:
    sides = "".join(f"<datacite:{side}>{value}</datacite:{side}>" for side, value in limits.items())
    return f"<datacite:geoLocation><datacite:geoLocationBox>{sides}</datacite:geoLocationBox></datacite:geoLocation>"


JAPAN = {
    "westBoundLongitude": "122",
    "eastBoundLongitude": "154",
    "southBoundLatitude": "20",
    "northBoundLatitude": "46",
}


@pytest.mark.parametrize(
    ("longitude", "latitude", "is_right"),
    [
        ("180", "90", True),
        ("-180", "-90", True),
        ("0", "0", True),
        ("180.5", "0", False),
        ("-180.5", "0", False),
        ("0", "90.5", False),
        ("0", "-90.5", False),
        ("東経135度", "35", False),
    ],
)
def test_a_point_is_on_the_globe(longitude, latitude, is_right):
    piece = point(longitude, latitude)
    assert ("W043" not in issue_codes(piece)) == is_right
    assert read_jpcoar(piece).record.spatial == ((f"east={longitude}; north={latitude}",) if is_right else ())


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"northBoundLatitude": "20"}, ""),
        ({"northBoundLatitude": "19.9"}, "E043"),
        ({"westBoundLongitude": "170", "eastBoundLongitude": "-170"}, ""),
        ({"southBoundLatitude": "-91"}, "W043"),
        ({"eastBoundLongitude": "181"}, "W043"),
    ],
)
def test_a_box_has_its_south_below_its_north_and_may_cross_the_date_line(changes, code):
    piece = box(**JAPAN | changes)
    assert issue_codes(piece) & {"E043", "W043"} == ({code} if code else set())
    assert len(read_jpcoar(piece).record.spatial) == (not code)


@pytest.mark.parametrize("missing", JAPAN)
def test_a_box_without_one_of_its_sides_is_no_place(missing):
    piece = box(**{side: value for side, value in JAPAN.items() if side != missing})
    assert [(issue.code, issue.value) for issue in issues(piece)] == [
        ("jpcoar.E043", " ".join(value for side, value in JAPAN.items() if side != missing))
    ]
    assert read_jpcoar(piece).record.spatial == ()


def test_a_place_keeps_its_name_beside_a_point_that_is_wrong():
    name = "<datacite:geoLocationPlace>京都</datacite:geoLocationPlace></datacite:geoLocation>"
    piece = point("200", "35").replace("</datacite:geoLocation>", name)
    assert read_jpcoar(piece, point("135", "35")).record.spatial == ("京都", "east=135; north=35")


@pytest.mark.parametrize(
    ("parts", "is_right"),
    [
        ({"startYear": "1400"}, True),
        ({"startYear": "2200"}, True),
        ({"startYear": "1399"}, False),
        ({"endYear": "2201"}, False),
        ({"startYear": "2016", "startMonth": "1", "startDay": "1"}, True),
        ({"startYear": "2016", "startMonth": "12", "startDay": "31"}, True),
        ({"startMonth": "0"}, False),
        ({"endMonth": "13"}, False),
        ({"endDay": "0"}, False),
        ({"startDay": "32"}, False),
        ({"startDay": "三"}, False),
    ],
)
def test_the_parts_of_the_date_of_a_conference_have_limits(parts, is_right):
    assert ("W044" not in issue_codes(conference_date(**parts))) == is_right


@pytest.mark.parametrize(
    ("start", "end", "is_right"),
    [
        (("2016", "05", "03"), ("2016", "05", "03"), True),
        (("2016", "05", "03"), ("2016", "05", "04"), True),
        (("2016", "05", "03"), ("2016", "05", "02"), False),
        (("2016", "05", "03"), ("2015", "12", "31"), False),
        (("2016", "05", "03"), ("2015", "12", ""), True),
        (("2016", "05", ""), ("2015", "12", "31"), True),
    ],
)
def test_a_conference_ends_on_the_day_it_begins_or_later_if_both_days_are_whole(start, end, is_right):
    names = ("Year", "Month", "Day")
    parts = {f"start{name}": value for name, value in zip(names, start, strict=True)}
    parts |= {f"end{name}": value for name, value in zip(names, end, strict=True)}
    found = [issue.value for issue in issues(conference_date(**parts)) if issue.code == "jpcoar.W044"]
    assert found == ([] if is_right else [" ".join((*start, *end))])


def conference_date(**parts: str) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in parts.items())
    return inside("conference", f'<jpcoar:conferenceDate xml:lang="ja"{attributes}>会期</jpcoar:conferenceDate>')


@pytest.mark.parametrize(
    ("parts", "start"),
    [
        ({"startYear": "2016", "startMonth": "5", "startDay": "3"}, "2016-05-03"),
        ({"startYear": "2016", "startMonth": "5"}, "2016-05"),
        ({"startYear": "2016"}, "2016"),
        ({"startYear": "2016", "startDay": "3"}, ""),
        ({"startMonth": "5", "startDay": "3"}, ""),
    ],
)
def test_the_day_of_a_conference_is_read_as_far_as_it_is_given(parts, start):
    (conference,) = read_jpcoar(conference_date(**parts)).record.conferences
    assert (conference.start, conference.date.value) == (start, "会期")


@pytest.mark.parametrize(
    ("name", "kind", "is_right"),
    [
        ("見本太郎", "", False),
        ("見本, 太郎", "", True),
        ("見本太郎", "Organizational", True),
        ("見" * 19, "", False),
        ("見" * 20, "", True),
        (", 太郎", "", False),
    ],
)
def test_a_short_name_without_a_comma_is_taken_for_that_of_a_person(name, kind, is_right):
    given = f' nameType="{kind}"' if kind else ""
    piece = inside("creator", f'<jpcoar:creatorName xml:lang="ja"{given}>{name}</jpcoar:creatorName>')
    assert ("W023" not in issue_codes(piece)) == is_right


@pytest.mark.parametrize(
    ("names", "reported"),
    [
        ([("ja", "博士（理学）"), ("en", "Doctor of Science")], []),
        ([("ja", "博士（理学）"), ("en-US", "Doctor of Science")], []),
        ([("ja", "博士（理学）"), ("", "Doctor of Science")], []),
        ([("ja", "博士（理学）"), ("zh", "理学博士")], ["博士（理学）"]),
        ([("ja", "Hakushi"), ("", "理学博士")], ["Hakushi"]),
    ],
)
def test_one_name_of_a_degree_is_in_english(names, reported):
    piece = "".join(
        f"<dcndl:degreeName{f' xml:lang="{language}"' if language else ''}>{name}</dcndl:degreeName>"
        for language, name in names
    )
    assert [issue.value for issue in issues(piece) if issue.code == "jpcoar.W138"] == reported


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("<dcndl:dateGranted>2013-04</dcndl:dateGranted>", "I039"),
        ("<dcndl:dateGranted>2013-03-31</dcndl:dateGranted>", "I239"),
        ("<dcndl:dateGranted>2014</dcndl:dateGranted>", "I039"),
        ("<dcndl:dateGranted>2012</dcndl:dateGranted>", "I239"),
    ],
)
def test_a_thesis_without_its_text_is_only_missed_if_it_was_granted_since_april_2013(extra, expected):
    assert {code for code in issue_codes(CREATOR + extra, DOCTORAL) if code.startswith("I")} == {expected}


def test_what_is_missing_in_a_doctoral_thesis_is_named():
    granted = "<dcndl:dateGranted>2017-03-25</dcndl:dateGranted><dcndl:dissertationNumber>甲第1号"
    (issue,) = [
        issue
        for issue in issues(f"{CREATOR}{granted}</dcndl:dissertationNumber>", DOCTORAL)
        if issue.code == "jpcoar.W037"
    ]
    assert issue.field == "dcndl:degreeName, jpcoar:degreeGrantor"


@pytest.mark.parametrize(("count", "value"), [(2, "ja"), (3, "ja")])
def test_a_repeated_language_is_named_once(count, value):
    (issue,) = [issue for issue in issues("", title=TITLE * count) if issue.code == "jpcoar.E003"]
    assert (issue.field, issue.value) == ("dc:title", value)


def test_of_many_registrations_three_are_named():
    piece = "".join(
        f'<jpcoar:identifierRegistration identifierType="JaLC">10.12345/{number}</jpcoar:identifierRegistration>'
        for number in range(1, 5)
    )
    (issue,) = [issue for issue in issues(piece) if issue.code == "jpcoar.W212"]
    assert issue.value == "10.12345/1, 10.12345/2, 10.12345/3"
