"""SRU: requests in three versions, answers with records, diagnostics and wrong numbers."""

import pytest

from harvesting.live.asking import check, read_answer, request_for
from harvesting.live.types import AllOf, LiveError, LiveSource, Word

SRW, OASIS = "http://www.loc.gov/zing/srw/", "http://docs.oasis-open.org/ns/search-ws/sruResponse"
DC = (
    '<srw_dc:dc xmlns:srw_dc="info:srw/schema/1/dc-schema" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>こころ</dc:title><dc:creator>夏目漱石</dc:creator><dc:date>1914</dc:date>"
    "<dc:identifier>https://catalog.example.jp/1</dc:identifier></srw_dc:dc>"
)
DIAGNOSTIC = (
    '<diagnostic xmlns="http://www.loc.gov/zing/srw/diagnostic/"><uri>info:srw/diagnostic/1/{number}</uri>'
    "<details>dc.foo</details><message>Unsupported index</message></diagnostic>"
)


def source(**options):
    return LiveSource(
        number="R900000001",
        names={},
        kind="live-sru",
        address="https://catalog.example.jp/sru?db=1&operation=explain&version=1.1",
        options=options,
    )


def answer(*records, total="1", namespace=SRW, diagnostics=""):
    inside = "".join(f"<record><recordData>{record}</recordData></record>" for record in records)
    text = (
        f'<searchRetrieveResponse xmlns="{namespace}"><version>1.2</version><numberOfRecords>{total}</numberOfRecords>'
        f"<records>{inside}</records>{diagnostics}</searchRetrieveResponse>"
    )
    return text.encode()


@pytest.mark.parametrize(
    ("options", "query"),
    [
        (
            {"version": "1.1", "schema": "dc"},
            "db=1&operation=searchRetrieve&version=1.1&query=%22a%22&startRecord=11&maximumRecords=5&recordSchema=dc"
            "&recordPacking=xml",
        ),
        ({"version": "2.0"}, "db=1&query=%22a%22&startRecord=11&maximumRecords=5"),
        ({"page_size": 3, "version": "2.0"}, "db=1&query=%22a%22&startRecord=11&maximumRecords=3"),
    ],
)
def test_a_request_has_the_parameters_of_its_version(options, query):
    request = request_for(source(**options), Word("any", "a"), start=11, limit=5)
    assert request.url == f"https://catalog.example.jp/sru?{query}"
    assert not request.empty


def test_a_question_of_which_nothing_is_left_is_not_asked():
    request = request_for(source(), AllOf((Word("ndc", "913"),)))
    assert (request.url, request.empty, [refused.code for refused in request.refused]) == ("", True, ["field"])


@pytest.mark.parametrize("namespace", [SRW, OASIS])
@pytest.mark.parametrize("packed", [False, True])
def test_records_are_read_by_the_crosswalks(namespace, packed):
    record = DC.replace("<", "&lt;") if packed else DC
    found = read_answer(source(), answer(record, total="7", namespace=namespace))
    (hit,) = found.records
    assert (found.total, hit.record.title, hit.link) == (7, "こころ", "https://catalog.example.jp/1")
    assert found.rejected == ()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("16", "live.query"),
        ("66", "live.schema"),
        ("68", "live.denied"),
        ("2", "live.unavailable"),
        ("x", "live.diagnostic"),
    ],
)
def test_a_diagnostic_instead_of_records_is_an_error(number, code):
    diagnostics = f"<diagnostics>{DIAGNOSTIC.format(number=number)}</diagnostics>"
    with pytest.raises(LiveError) as raised:
        read_answer(source(), answer(total="0", diagnostics=diagnostics))
    assert (raised.value.code, raised.value.detail) == (code, f"{number} Unsupported index: dc.foo")


def test_diagnostics_beside_records_are_observations():
    diagnostics = f"<diagnostics>{DIAGNOSTIC.format(number=60)}</diagnostics>"
    found = read_answer(source(), answer(DC, DIAGNOSTIC.format(number=64), total="2", diagnostics=diagnostics))
    assert len(found.records) == 1
    assert [observed.code for observed in found.observations] == ["live.warning", "live.record_withheld"]


def test_no_hits_are_no_error():
    found = read_answer(source(), answer(total="0"))
    assert (found.records, found.total) == ((), 0)


@pytest.mark.parametrize("total", ["", "-1", "1e9", "９", "999999999999999"])
def test_a_total_that_is_no_number_is_unknown(total):
    assert read_answer(source(), answer(DC, total=total)).total is None


def test_a_total_below_the_number_of_records_is_not_believed():
    found = read_answer(source(), answer(DC, DC, total="1"))
    assert (len(found.records), found.total) == (2, None)
    assert found.observations[0].code == "live.wrong_total"


def test_more_records_than_were_asked_for_are_left_out():
    assert len(read_answer(source(), answer(*[DC] * 60, total="60")).records) == 50


def test_unreadable_records_are_rejected_with_their_issues():
    found = read_answer(
        source(), answer("<own xmlns=''>x</own>", DC.replace("こころ", ""), "&lt;broken", DC, total="4")
    )
    assert len(found.records) == 1
    assert [
        {issue.code for issue in issues} & {"oai.E004", "oai_dc.E001", "xml.E001"} != set() for issues in found.rejected
    ][0::2] == [True, True]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "https://user:pw@example.jp/"])
def test_a_link_that_a_page_may_not_have_is_left_out(link):
    record = DC.replace("https://catalog.example.jp/1", link)
    body = answer(record).replace(
        b"</recordData>", f"</recordData><recordIdentifier>{link}</recordIdentifier>".encode()
    )
    (hit,) = read_answer(source(), body).records
    assert hit.link == ""


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, ""),
        ({"indexes": {"title": "dc.title", "any": ""}, "version": "1.2"}, ""),
        ({"indexes": {"title": 'a" or b'}}, "options"),
        ({"indexes": {"colour": "dc.colour"}}, "options"),
        ({"relations": {"title": ["or x ="]}}, "options"),
        ({"version": "3"}, "options"),
        ({"rate": 0}, "options"),
        ({"page_size": 5000}, "options"),
        ({"unknown": 1}, "options"),
        ({"search_page": "https://x.example/?q={words}"}, ""),
        ({"search_page": "https://x.example/"}, "template.no_words"),
    ],
)
def test_options_are_checked(options, code):
    assert check("live-sru", options) == code


def test_options_of_another_version_are_an_error_of_the_source():
    with pytest.raises(LiveError) as raised:
        request_for(source(unknown="x"), Word("any", "a"))
    assert raised.value.code == "live.options"


def test_readers_can_go_on_searching_on_the_page_of_the_source():
    page = "https://catalog.example.jp/search?q={words}"
    request = request_for(source(search_page=page), AllOf((Word("title", "門"), Word("ndc", "9"))))
    assert request.follow == "https://catalog.example.jp/search?q=%E9%96%80"
    assert request_for(source(), Word("any", "a")).follow == ""
