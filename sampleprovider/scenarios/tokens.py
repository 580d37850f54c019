"""Scenarios about resumptionTokens and lists (catalogue T1 to T14)."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape, unescape

from sampleprovider import wire
from sampleprovider.replies import Asked, Reply
from sampleprovider.scenarios.base import BOTH, COMPLETE, FULL, INCREMENTAL, TOLD, VISIBLE, Expected, Fault, row
from sampleprovider.scenarios.edits import (
    RECORD,
    TITLE,
    TOKEN,
    as_token,
    cursor_of,
    listed,
    now,
    oai_error,
    on_lists,
    one_record,
    swapped,
    token_of,
    with_token,
)
from sampleprovider.source import SampleRecord, SampleSource
from sampleprovider.trial import COUNT, trial_record

RESERVED = "&=+%2F?#;: /日本<\">'"
SIZE = re.compile(rb'completeListSize="\d+"')
MOST_AT_ONCE = 6
YEAR = timedelta(days=366)
BAD_TOKEN = "badResumptionToken"  # noqa: S105  (an error code of the protocol)


def own_token(asked: Asked) -> Reply:
    """The second page leads to itself."""
    reply = asked.answer()
    return with_token(reply, asked.get("resumptionToken")) if "resumptionToken" in asked else reply


def cycle(asked: Asked) -> Reply:
    """The third page leads to the second."""
    reply = asked.answer()
    if not asked.is_list:
        return reply
    if "resumptionToken" not in asked:
        asked.visits.memory["first"] = token_of(reply.body)
    elif cursor_of(reply.body) == 2 * asked.source.page_size:
        return with_token(reply, asked.visits.memory["first"])
    return reply


def same_text(asked: Asked) -> Reply:
    """The token is always the same; the server knows how far it has come."""
    memory = asked.visits.memory
    reply = as_token(asked, memory.get("next", "")) if "resumptionToken" in asked else asked.answer()
    if asked.is_list:
        memory["next"] = token_of(reply.body)
    return with_token(reply, "next") if memory.get("next") else reply


def same_text_lost(asked: Asked) -> Reply:
    """The same, and one page gets lost on its way, when the server has gone on already."""
    reply = same_text(asked)
    return replace(reply, wire=wire.cut) if "resumptionToken" in asked and asked.tries == 2 else reply


def behind_the_end(answered: Fault) -> Fault:
    """The last page has a token, and this is what it leads to."""

    def fault(asked: Asked) -> Reply:
        if asked.get("resumptionToken") == "behind":
            return answered(asked)
        reply = asked.answer()
        return reply.replaced(b"></resumptionToken>", b">behind</resumptionToken>") if asked.is_list else reply

    return fault


def expired(times: int, from_cursor: int = 6) -> Fault:
    """From a place in the list on, tokens are refused; times: each so often, 0 = always."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        refused = "resumptionToken" in asked and cursor_of(reply.body) >= from_cursor
        return oai_error(asked, BAD_TOKEN) if refused and not (times and asked.tries > times) else reply

    return fault


def used_up(asked: Asked) -> Reply:
    """Each token is good for one request only; one page of the first list is lost to a status 500."""
    if "resumptionToken" not in asked:
        reply = asked.answer()
    else:
        token, _, number = asked.get("resumptionToken").rpartition(".")
        if asked.tries > 1 or number != str(asked.lists):
            return oai_error(asked, BAD_TOKEN)
        reply = as_token(asked, token)
        if asked.lists == 1 and cursor_of(reply.body) == 2 * asked.source.page_size:
            return Reply(b"", 500)
    token = token_of(reply.body)
    return with_token(reply, f"{token}.{asked.lists}") if token else reply


def longer_token(tail: str) -> Fault:
    """Every token ends like this, and must come back exactly so."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        if "resumptionToken" in asked:
            if not asked.get("resumptionToken").endswith(tail):
                return oai_error(asked, BAD_TOKEN)
            reply = as_token(asked, asked.get("resumptionToken").removesuffix(tail))
        token = unescape(token_of(reply.body))
        return with_token(reply, escape(token + tail)) if token else reply

    return fault


def attributed(pattern: bytes, attributes: bytes) -> Fault:
    """Tokens with other attributes."""
    return on_lists(lambda body: re.sub(pattern, attributes, body))


def overlapping(asked: Asked) -> Reply:
    """Each page begins with the last record of the one before."""
    reply, memory = asked.answer(), asked.visits.memory
    records = RECORD.findall(reply.body)
    if asked.is_list and records:
        if "resumptionToken" in asked and "last" in memory:
            first = b"<ListRecords>\n"
            reply = reply.replaced(first, first + memory["last"].encode(), 1)
        memory["last"] = records[-1].decode()
    return reply


def skipping(asked: Asked) -> Reply:
    """One record is never listed, another one twice: the sort order changed between two pages."""
    records = [trial_record(4), trial_record(5)]
    names = [f":{record.local_id}<".encode() for record in records]
    reply = asked.answer()
    found = {name: each for each in RECORD.findall(reply.body) for name in names if name in each}
    if len(found) < len(names):
        return reply
    return reply.replaced(found[names[1]], found[names[0]])


def growing(asked: Asked) -> Reply:
    """A record is made while the first list is read; it stands in the later ones."""
    memory = asked.visits.memory
    if asked.round > 1:
        fresh = replace(trial_record(COUNT), datestamp=memory.get("made", now()))
        return asked.answer(source=_with(asked.source, fresh))
    if "resumptionToken" in asked:
        memory["made"] = now()
    return asked.answer()


def _with(source: SampleSource, record: SampleRecord) -> SampleSource:
    return replace(source, records=[*source.holdings.listing(source.prefixes[0], ""), record])


def empty_page(asked: Asked) -> Reply:
    """Between the first page and the second stands one without records."""
    token = asked.get("resumptionToken")
    if token.startswith("gap."):
        return listed(asked, f"<resumptionToken>{token.removeprefix('gap.')}</resumptionToken>".encode())
    reply = asked.answer()
    if asked.is_list and not token and token_of(reply.body):
        return with_token(reply, f"gap.{token_of(reply.body)}")
    return reply


def empty_for_ever(asked: Asked) -> Reply:
    """After the first page there are only pages without records, each with a new token."""
    if "resumptionToken" not in asked:
        return asked.answer()
    return listed(asked, f"<resumptionToken>more.{asked.visits.total}</resumptionToken>".encode())


def one_year(asked: Asked) -> Reply:
    """Only lists of a year or less are given."""
    if not asked.is_list or "resumptionToken" in asked:
        return asked.answer()
    from_, until = asked.get("from"), asked.get("until")
    end = _moment(until) if until else datetime.now(UTC)
    if not from_ or end - _moment(from_) > YEAR:
        return oai_error(asked, "badArgument")
    return asked.answer()


def _moment(value: str) -> datetime:
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def too_many(asked: Asked) -> Reply:
    """Status 413 for lists of more than a few records."""
    reply = asked.answer()
    size = re.search(rb'completeListSize="(\d+)"', reply.body)
    if asked.is_list and size and int(size[1]) > MOST_AT_ONCE:
        return Reply(b"Request Entity Too Large", 413, "text/plain")
    return reply


def ends_early(asked: Asked) -> Reply:
    """The second page has no token, though the list goes on."""
    reply = asked.answer()
    if "resumptionToken" in asked and cursor_of(reply.body) == asked.source.page_size:
        return replace(reply, body=TOKEN.sub(b"", reply.body))
    return reply


def sizeless(asked: Asked, reply: Reply) -> Reply:
    """No completeListSize and no cursor."""
    pattern = rb'<resumptionToken completeListSize="\d+" cursor="\d+"'
    return replace(reply, body=re.sub(pattern, b"<resumptionToken", reply.body))


def ends_early_sizeless(asked: Asked) -> Reply:
    """The second list ends with its first page, and nothing says how long it should be."""
    reply = sizeless(asked, asked.answer())
    is_short = asked.round > 1 and asked.is_list
    return replace(reply, body=TOKEN.sub(b"", reply.body)) if is_short else reply


def twice(record: bytes) -> bytes:
    """The record, and another one under its identifier and datestamp."""
    return record + TITLE.sub(lambda found: found[0] + "別の本 ".encode(), record, count=1)


def one_page(source: SampleSource) -> SampleSource:
    """Hundreds of records on one page."""
    return replace(source, records=[trial_record(number) for number in range(500)], page_size=1000)


IN_CIRCLES = Expected(states=("failed", "succeeded"), codes=("oai.", "run."), live="any", told=True, requests=300)
BY_WINDOWS = Expected(requests=400)

TOKENS = (
    row("T1", "token-blank", on_lists(swapped(b"></resumptionToken>", b"> \n\t </resumptionToken>")), COMPLETE,
        ("The last token is white space.", "最後のトークンが空白だけです。")),
    row("T1", "token-none",
        on_lists(lambda body: re.sub(rb"<resumptionToken[^>]*></resumptionToken>", b"", body)), COMPLETE,
        ("The last page has no token element.", "最後のページにトークンの要素がありません。")),
    row("T1", "token-bare",
        on_lists(lambda body: re.sub(rb"<resumptionToken[^>]*></resumptionToken>", b"<resumptionToken/>", body)),
        COMPLETE,
        ("The last token is empty and has no attributes.", "最後のトークンが属性のない空要素です。")),
    row("T2", "token-own", own_token, IN_CIRCLES,
        ("A page leads to itself.", "あるページの次が、そのページ自身です。")),
    row("T2", "token-cycle", cycle, IN_CIRCLES,
        ("The third page leads back to the second.", "3ページ目の次が2ページ目に戻ります。")),
    row("T3", "token-same-text", same_text, COMPLETE,
        ("The token never changes, the pages do.", "トークンは同じまま、ページは進みます。")),
    row("T3", "token-same-text-lost", same_text_lost, VISIBLE,
        ("The token never changes, and one page is lost on its way.",
         "トークンは同じままで、1ページが途中で失われます。")),
    row("T4", "token-behind-empty", behind_the_end(lambda asked: listed(asked, b"")), COMPLETE,
        ("The last token leads to an empty page.", "最後のトークンの先が空のページです。")),
    row("T4", "token-behind-no-records", behind_the_end(lambda asked: oai_error(asked, "noRecordsMatch")), COMPLETE,
        ("The last token leads to noRecordsMatch.", "最後のトークンの先がnoRecordsMatchです。")),
    row("T4", "token-behind-refused", behind_the_end(lambda asked: oai_error(asked, BAD_TOKEN)), COMPLETE,
        ("The last token is refused.", "最後のトークンが拒まれます。")),
    row("T5", "token-expires", expired(1), COMPLETE,
        ("A token is refused once, in the middle of the list.", "一覧の途中でトークンが1回拒まれます。")),
    row("T5", "token-once", used_up, COMPLETE,
        ("Each token can be used once; one answer is lost.", "トークンは1回しか使えず、応答が1回失われます。")),
    row("T5 T11", "token-expires-always", expired(0), BY_WINDOWS,
        ("Tokens behind the sixth record are always refused.", "6件目より先のトークンは必ず拒まれます。")),
    row("T5", "token-expired-said",
        attributed(rb"<resumptionToken ", b'<resumptionToken expirationDate="2020-01-01T00:00:00Z" '), COMPLETE,
        ("Tokens say that they expired long ago, and work.", "トークンが期限切れと示されますが、使えます。")),
    row("T6", "token-reserved", longer_token(RESERVED), COMPLETE,
        ("Tokens with reserved characters, blanks and Japanese.", "トークンに予約文字、空白、日本語が入っています。")),
    row("T6", "token-long", longer_token("x" * 4000), COMPLETE,
        ("Tokens of 4,000 characters.", "トークンが4,000字あります。")),
    row("T7", "size-too-small", attributed(rb'completeListSize="\d+"', b'completeListSize="1"'), TOLD,
        ("completeListSize is too small.", "completeListSizeが小さすぎます。")),
    row("T7", "size-too-large", attributed(rb'completeListSize="\d+"', b'completeListSize="9999"'), TOLD,
        ("completeListSize is too large.", "completeListSizeが大きすぎます。")),
    row("T7", "size-nonsense", attributed(rb'completeListSize="\d+"', b'completeListSize="many"'), COMPLETE,
        ("completeListSize is no number.", "completeListSizeが数ではありません。")),
    row("T7", "cursor-untrue", attributed(rb'cursor="\d+"', b'cursor="7"'), COMPLETE,
        ("The cursor is always the same.", "cursorがいつも同じです。")),
    row("T8", "pages-overlap", overlapping, COMPLETE,
        ("Each page repeats the last record of the one before.", "各ページが前のページの最後の1件を繰り返します。")),
    row("T8", "unstable-sort", skipping, VISIBLE,
        ("One record is skipped, another one listed twice.", "1件が抜け、別の1件が2回出ます。")),
    row("T9", "list-grows", growing, Expected(extra=(COUNT,)),
        ("A record is made while the list is read.", "一覧を読んでいる間にレコードが作られます。"),
        runs=(FULL, INCREMENTAL)),
    row("T10", "empty-page", empty_page, COMPLETE,
        ("A page without records, with a token.", "トークンはあるがレコードのないページがあります。")),
    row("T10", "empty-for-ever", empty_for_ever, IN_CIRCLES,
        ("Only empty pages with new tokens, without end.", "空のページが新しいトークンで限りなく続きます。")),
    row("T11", "window-one-year", one_year, BY_WINDOWS,
        ("Lists of more than a year are refused.", "1年を超える期間の一覧は拒まれます。")),
    row("T11", "window-too-large", too_many, BY_WINDOWS,
        ("Status 413 for lists of more than six records.", "6件を超える一覧には状態413を返します。")),
    row("T12", "token-missing", ends_early, VISIBLE,
        ("The second page has no token, though the list goes on.", "一覧が続くのに、2ページ目にトークンがありません。")
        ),
    row("T12", "token-missing-later", ends_early_sizeless,
        Expected(states=("succeeded", "paused", "failed"), live="all", told=True),
        ("The second harvest's list ends with its first page, without saying its size.",
         "2回目のハーベストで、件数を示さない一覧が1ページ目で終わります。"), runs=(FULL, FULL)),
    row("T13", "two-under-one", one_record(twice), TOLD,
        ("Two books under one identifier and datestamp.", "同じ識別子と日付で2冊の本が出ます。"), places=BOTH),
    row("T14", "huge-page", lambda asked: asked.answer(), COMPLETE,
        ("All of 500 records on one page.", "500件を1ページで返します。"), adapt=one_page),
)  # fmt: skip
