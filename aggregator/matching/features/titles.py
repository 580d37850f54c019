"""The parts of a printed title: core, subtitle, volume, edition; and the titles of originals that a record names.

Titles of originals and uniform titles bring the translations and editions of one work together (`groups.works`). They
identify works, not books, so records are not compared by them.
"""

import re
import unicodedata
from typing import NamedTuple

from aggregator.matching.features.numbering import KANJI_DIGITS
from metadata.record import BibliographicRecord

_NOTE = re.compile(
    r"(?:原タイトル|原書名|原書タイトル|原題|original title|translation of)\s*[:：]\s*(?P<title>.+)",
    re.IGNORECASE | re.DOTALL,
)
# What cataloguers write behind the title in the same note.
_BEHIND = re.compile(
    r"\s*(?:[(（]?原(?:著|書)(?:第|新|改|\s|$).*|の(?:全訳|抄訳|翻訳|部分訳).*|\.\s.*|\s--\s.*)\Z", re.DOTALL
)
_KINDS = frozenset(("uniform", "translation"))
_LONGEST_NOTE = 300  # characters
AT_MOST = 3


class TitleParts(NamedTuple):
    """The parts as printed, "" for those that the title does not have."""

    core: str
    subtitle: str = ""
    volume: str = ""
    edition: str = ""
    series: str = ""
    bare: bool = False  # the volume is a number alone, which may belong to the title


_NUMBER = rf"(?:[0-9]{{1,4}}|[{KANJI_DIGITS}]{{1,5}})"
_ROMAN = r"(?:X{0,3}(?:IX|IV|V?I{1,3}|V)|X{1,3})"
_COUNTER = "(?:巻|冊|集|部|編|篇|輯|号|回|期|分冊|話)"
_PART = rf"[上中下前後](?:{_COUNTER}|$)|[上中下]"
_WORD = rf"(?:vol(?:ume)?|v|no|number|bd|band|tome?|t|part|pt|book|bk|\#)\.?\s*(?:[0-9]+|{_ROMAN})"

# At the end of a title. A bare number must follow a space or a letter that is not Latin (文字伝心2). First come all
# characters that a statement may begin with, so that nothing more is tried at others.
_VOLUME = re.compile(
    rf"""(?=[\s(\[<〈《〔,.:;・0-9IVX{KANJI_DIGITS}第全巻上中下前後])
         (?: \s*[(\[<〈《〔]\s*(?P<bracketed>第?{_NUMBER}{_COUNTER}?|{_ROMAN}|{_PART}|(?i:{_WORD})
                             |全\s*{_NUMBER}{_COUNTER}?)\s*[)\]>〉》〕]
           | \s*(?P<counted>(?:第\s*{_NUMBER}\s*{_COUNTER}|(?<![一-龥])全\s*{_NUMBER}\s*[巻冊集]|{_NUMBER}[巻冊集]
                             |巻[のノ之]?\s*{_NUMBER}
                             |[上中下前後]巻)(?:\s*[(]?[上中下][)]?)?)
           | [\s,.:;]+(?P<word>(?i:{_WORD}))
           | ・(?P<dotted>[上中下](?:[巻編篇])?)
           | \s[.:;,-]?\s*(?P<bare>[0-9]{{1,4}}|{_ROMAN}|[{KANJI_DIGITS}]{{1,3}}|[上中下](?:[巻編篇])?|[前後正続][編篇])
           | (?<=[^\x00-\x7f])(?P<glued>[0-9]{{1,3}}|{_ROMAN}) )\s*\Z""",
    re.VERBOSE,
)
_EDITION = re.compile(
    rf"""[\s,.(\[〔]*(?P<edition>(?:(?:改訂|新訂|増訂|増補|改定|全訂|補訂|三訂|最新|新装|普及|愛蔵|完全|復刻|決定|限定|軽装|新|改)+)?
          (?:第\s*)?{_NUMBER}?\s*(?<=[訂補新装及蔵全刻定改{KANJI_DIGITS}0-9])版
         |(?:改訂|新訂|増補|増訂){{1,2}}
         |(?<=[\s(\[])(?:(?i:[0-9]+(?:st|nd|rd|th|d)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|new|rev(?:ised)?)\.?(?:,?\s+(?i:rev(?:ised)?|enl(?:arged)?)\.?)?\s+(?i:ed(?:ition)?)))
         \.?[)\]〕]?\s*\Z""",
    re.VERBOSE,
)
# An addition in brackets at the end; it may itself contain brackets.
_BRACKETED = re.compile(r"\s*[(\[〔](?:[^()\[\]〔〕]|[(\[〔][^()\[\]〔〕]*[)\]〕])*[)\]〕]\s*\Z")
_MARKS = frozenset(":;‐―—─~〜-.「『")  # checked first: most titles have none
# The signs that it may begin with come first, so that no further pattern is tried at other characters.
_SUBTITLE = re.compile(
    r"(?=[\s:‐―—─~〜.-])(?:\s*:\s+|\s+[:;]\s*|\s*[‐―—─~〜]+\s*|\s+-{1,2}\s*|\s*-{2}\s*|\.\s+(?=[A-Z])"
    r"|(?<=[a-z]{3})\.\s+(?=[a-z])| {2,}|\s+(?=[「『]))"
)
_RESPONSIBILITY = re.compile(r"\s+[/=](?:\s.*)?\Z", re.DOTALL)
# 日本近代文学大系 第三十二巻 北原白秋集: the text after the volume is the title of that volume.
_INSIDE_MARKS = ("第", "(", "ol", "art", "VOL", "PART")  # without one of these no pattern need be tried
_VOLUME_INSIDE = re.compile(
    rf"(?:[\s・]+(?:(第\s*{_NUMBER}\s*[巻冊]|(?i:vol(?:ume)?\.?|part)\s*[0-9]{{1,4}}))|\s*[(]({_NUMBER}|[上中下])[)])(?:[\s:.,・‐―-]+|(?=[「『]))(?=\S)"
)
# 現代日本文學全集56 小杉天外 小栗風葉: after the name of a set even a bare number is that of the volume.
_SET_WORDS = ("全集", "大系", "集成", "選集", "叢書", "文學館", "文学館")
_VOLUME_OF_SET = re.compile(
    rf"(?:(?<=全集|大系|集成|選集|叢書)|(?<=文學館|文学館))[\s・]*(?:第\s*({_NUMBER})\s*[巻冊]|([0-9]{{1,3}})[巻冊]?)(?:[\s:.,・‐―-]+|(?=[「『]))(?=[^\s(])"
)
# Computer Science Library-3 プログラミングの基礎: a series and its number before the title.
_SERIES_WORDS = (
    "文庫|新書|叢書|双書|選書|シリーズ|ライブラリー?|講座|コミックス|ブックス|(?i:library|series|books|comics)"
)
_SERIES_FIRST = re.compile(rf"\A(\S.{{0,60}}?(?:{_SERIES_WORDS})[-‐―−]([0-9]{{1,4}}))\s+(?=\S)")
# ト2-01 (星海社FICTIONS), B-2046 (ブルーバックス): the place of the book in its series
_SERIES_CODE = re.compile(r"\s((?:[ぁ-んァ-ヶ]{1,2}|[A-Z]{1,3}-?)[0-9]{1,4}(?:-[0-9]{1,3})?)\s*\Z")
_IS_SERIES = re.compile(_SERIES_WORDS).search
_SERIES_NUMBER_LEAST = 100  # a bare number before a bracketed series is the volume of the book if it is smaller
# 新装版 伊丹万作全集, 新版・小熊秀雄全集
_EDITION_BEGINS = ("新", "改", "増", "普及", "愛蔵", "復刻")
_EDITION_FIRST = re.compile(r"\A((?:新装|新訂|新編|新|改訂|改訂増補|増補改訂|増補|普及|愛蔵|復刻)版)[・\s]+(?=\S)")
# [シネマ・デイジー]劇場版: a designation of the material before the title
_DESIGNATION = re.compile(
    r"\A\[[^\[\]]{0,12}(?:デイジー|(?i:daisy|dvd|cd|kindle|blu-ray)|録音|点字|電子|映像|ビデオ|マイクロ|大活字)[^\[\]]{0,8}\]\s*(?=\S)|"
    r"\A【[^【】]{0,12}(?:デイジー|(?i:daisy|dvd|cd|kindle|blu-ray)|録音|点字|電子|映像|ビデオ|マイクロ|大活字)[^【】]{0,8}】\s*(?=\S)"
)
_TAIL = 48  # the longest volume or edition statement, in characters
_SERIES_TAIL = 200
# Only these characters end a volume or edition statement.
_STATEMENT_ENDS = frozenset(f"0123456789{KANJI_DIGITS}上中下前後IVX巻冊集部編篇輯号回期話版訂補.)]>〉》〔〕")
_EDITION_SIGNS = frozenset("版訂補dDnN")  # the last letter of an edition statement: 版, 改訂, ed, edition
_PART_SIGNS = frozenset("上中下前後正続")  # these never belong to the title, as a number may
_CLOSING = frozenset(")]〕")
_EDITION_ENDS = ("ed", "Ed", "edition", "Edition")


def split_title(text: str) -> TitleParts:
    """Split a title into its parts."""
    plain = _prepare(text)
    of_set = _VOLUME_OF_SET.search(plain, 2) if any(map(plain.__contains__, _SET_WORDS)) else None
    if of_set:
        return TitleParts(plain[: of_set.start()], plain[of_set.end() :], of_set[1] or of_set[2])
    before = _SERIES_FIRST.match(plain) if "-" in plain else None
    if before:
        parts = _split(plain[before.end() :])
        return parts._replace(series=parts.series or before[1])
    first = _EDITION_FIRST.match(plain) if plain.startswith(_EDITION_BEGINS) else None
    if first:
        parts = _split(plain[first.end() :])
        return parts._replace(edition=parts.edition or first[1])
    return _split(plain)


def _prepare(text: str) -> str:
    """The title in NFKC, without responsibility, parallel title and designation of the material."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text.replace("：", " : ").replace("\u3000", "  "))
    plain = plain.replace("卷", "巻").strip()
    if " /" in plain or " =" in plain:
        plain = _RESPONSIBILITY.sub("", plain) or plain
    return _DESIGNATION.sub("", plain) if plain.startswith(_DESIGNATED) else plain


def _split(plain: str) -> TitleParts:
    stripped = _strip_statements(plain)
    rest, volume = stripped.core, stripped.volume
    inside = _VOLUME_INSIDE.search(rest, 1) if not volume and _may_hold_volume(rest) else None
    if inside:
        core, subtitle, volume = rest[: inside.start()].rstrip(" :"), rest[inside.end() :], inside[1] or inside[2]
    else:
        split = _SUBTITLE.search(rest, _beginning(rest)) if "  " in rest or not _MARKS.isdisjoint(rest) else None
        core, subtitle = (rest[: split.start()], rest[split.end() :]) if split else (rest, "")
    if not subtitle:
        return TitleParts(_article_first(core), "", volume, stripped.edition, stripped.series, stripped.bare)
    inner = _strip_statements(core)
    return TitleParts(
        core=_article_first(inner.core),
        subtitle=subtitle,
        volume=volume or inner.volume,
        edition=stripped.edition or inner.edition,
        series=stripped.series or inner.series,
        bare=stripped.bare if volume else inner.bare,
    )


def _beginning(text: str) -> int:
    """Where a subtitle may begin: 劇場版 and 初版 before a blank are no titles by themselves."""
    return next((len(word) + 2 for word in _NO_TITLES if text.startswith(word)), 1)


_NO_TITLES = ("劇場版", "初版", "映画", "小説", "図説", "定本", "新訳")


def _may_hold_volume(text: str) -> bool:
    return any(map(text.__contains__, _INSIDE_MARKS))


_DESIGNATED = ("[", "【")
_ARTICLE_LAST = re.compile(r"\A(.+), (the|an?)\Z", re.IGNORECASE | re.DOTALL)


def _article_first(title: str) -> str:
    """The title with its article first: "Blessing Way, The", as some catalogues enter it, is "The Blessing Way"."""
    match = _ARTICLE_LAST.match(title) if title[-1:] in "eEaAnN" and ", " in title else None
    return f"{match[2]} {match[1]}" if match else title


def _strip_statements(text: str) -> TitleParts:
    """Remove volume, edition and bracketed series, each at most once, from the end of a text; the rest is the core."""
    volume = edition = series = ""
    bare = False
    for _ in range(4):  # in any order
        text = text.rstrip()
        if not text or text[-1] not in _STATEMENT_ENDS and not text.endswith(_EDITION_ENDS):
            break
        start = max(0, len(text) - _TAIL)
        may_be_edition = not edition and text.rstrip(")]〕.")[-1:] in _EDITION_SIGNS
        match = _EDITION.search(text, start) if may_be_edition else None
        if match and match.start() > 0:
            text, edition = text[: match.start()], match["edition"]
            continue
        found = _take_volume(text, start, series) if not volume else None
        if found:
            text, volume, series, bare = found.core, found.volume, found.series, found.bare
            continue
        match = _BRACKETED.search(text, max(0, len(text) - _SERIES_TAIL)) if text[-1] in _CLOSING else None
        if not match or not match.start():
            break
        text, series = text[: match.start()], series or match[0].strip(" ()[]〔〕")
        code = _SERIES_CODE.search(text, max(0, len(text) - _TAIL))
        if code and code.start():
            text, series = text[: code.start()], f"{series} {code[1]}"
    return TitleParts(core=text, volume=volume, edition=edition, series=series, bare=bare)


def _take_volume(text: str, start: int, series: str) -> TitleParts | None:
    """Remove a volume statement from the end of a text; the rest is the core. None if there is no statement.

    series: the series that followed in brackets, or "". A bare number before it may be the number in the series, so it
    is added to the series.
    """
    match = _volume_at_end(text, start)
    if not match:
        return None
    text = text[: match.start()]
    volume = next((group for group in match.groups() if group), "")
    bare = bool(match["bare"] or match["glued"]) and volume[0] not in _PART_SIGNS and not text.endswith(_SET_WORDS)
    if bare and _is_number_of_series(text, volume, series):
        return TitleParts(core=text, series=f"{series} {volume}")
    if bare and _IS_SERIES(series) and not series[-1].isdecimal():
        series = f"{series} {volume}"
    return TitleParts(core=text, volume=volume, series=series, bare=bare)


def _is_number_of_series(text: str, number: str, series: str) -> bool:
    """Whether a bare number between the title and a bracketed series is that of the series: `1212 (集英社新書)`, and
    the second number of `計算統計 1 11 (叢書)`.
    """
    if not number.isdecimal() or not _IS_SERIES(series):
        return False
    before = _VOLUME.search(text, max(0, len(text) - _TAIL))
    two = bool(before and (before["bare"] or before["glued"]))
    return int(number) >= _SERIES_NUMBER_LEAST or "新書" in series or two


def _volume_at_end(text: str, start: int) -> re.Match[str] | None:
    """The volume statement at the end, unless it is a year that ends a Latin title ("October 5-7, 2006")."""
    match = _VOLUME.search(text, start)
    if not match or not match.start():
        return None
    is_year = match["bare"] and _A_YEAR.match(match["bare"]) and text[match.start() - 1].isascii()
    return None if is_year else match


_A_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}\Z")


def original_titles(record: BibliographicRecord) -> tuple[str, ...]:
    """The titles as printed, each once; at most AT_MOST."""
    found = [title.value for title in record.alternatives if title.kind in _KINDS]
    for note in record.notes:
        has_colon = ":" in note or "：" in note
        match = _NOTE.match(note) if has_colon and len(note) <= _LONGEST_NOTE else None
        if match:
            found.append(_BEHIND.sub("", match["title"]))
    titles = (title.strip(" .。/") for title in found)
    return tuple(dict.fromkeys([title for title in titles if title]))[:AT_MOST]
