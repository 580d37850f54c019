"""Evidence as sentences in Japanese and English: a table."""

from aggregator.matching.comparison.weights import Evidence

_SENTENCES: dict[tuple[str, str], tuple[str, str]] = {
    ("staff", "same"): ("職員が同じ資料と判断", "Staff decided that they are the same"),
    ("staff", "not_same"): ("職員が別の資料と判断", "Staff decided that they are not the same"),
    ("isbn", "same"): ("ISBNが一致", "The ISBN agrees"),
    ("isbn", "suspect"): (
        "ISBNは一致するが、別の巻やセットにも付いている",
        "The ISBN agrees, but other volumes or a set bear it too",
    ),
    ("isbn", "listed"): (
        "ISBNが一致（セットの書誌にも記載されている）",
        "The ISBN agrees; a set lists it too",
    ),
    ("isbn", "list"): ("同じ複数のISBNを持つ", "Both list the same ISBNs"),
    ("isbn", "one_of"): ("ISBNの一つが一致（一方は複数のISBNを持つ）", "One of several ISBNs agrees"),
    ("isbn", "listed_one_of"): (
        "ISBNの一つが一致（一方は複数のISBNを持ち、セットの書誌にも記載されている）",
        "One of several ISBNs agrees; a set lists it too",
    ),
    ("isbn", "suspect_one_of"): (
        "ISBNの一つが一致するが、別の巻やセットにも付いている",
        "One of several ISBNs agrees, but other volumes or a set bear it too",
    ),
    ("isbn", "different_volume"): (
        "ISBNが異なる（一方が巻やセットのISBNの可能性）",
        "The ISBNs differ; one may be that of a set or of another volume",
    ),
    ("isbn", "different_one_volume"): (
        "巻次は同じだがISBNが異なる（一方がセットのISBNの可能性）",
        "The ISBNs of the same volume differ; one may be that of the set",
    ),
    ("isbn", "different"): ("ISBNが異なる", "The ISBNs differ"),
    ("set_isbn", "same"): ("セットISBNが一致", "The ISBN of the set agrees"),
    ("issn", "same"): ("ISSNが一致", "The ISSN agrees"),
    ("issn", "different"): ("ISSNが異なる", "The ISSNs differ"),
    ("number", "same"): ("書誌番号（全国書誌番号、DOIなど）が一致", "A bibliographic number (JPNO, DOI, …) agrees"),
    ("number", "different"): (
        "書誌番号（全国書誌番号、DOIなど）が異なる",
        "The bibliographic numbers (JPNO, DOI, …) differ",
    ),
    ("number", "different_jpno"): ("全国書誌番号が異なる", "The numbers of the national bibliography (JPNO) differ"),
    ("title", "same"): ("タイトルが一致", "The title agrees"),
    ("title", "core"): ("本タイトルが一致（副題は一方のみ）", "The main title agrees; only one has a subtitle"),
    ("title", "core_short"): (
        "短い本タイトルが一致（副題は一方のみ）",
        "The short main title agrees; only one has a subtitle",
    ),
    ("title", "reading"): ("タイトルの読みが一致", "The reading of the title agrees"),
    ("title", "begins"): (
        "一方のタイトルが他方の冒頭と一致（副題を続けて記載した可能性）",
        "The title of one begins that of the other, perhaps with the subtitle run on",
    ),
    ("title", "mistyped"): ("タイトルが1字を除いて一致", "The titles agree except for one letter"),
    ("title", "part"): (
        "一方はシリーズ名・セット名で、他方は巻のタイトルで記入されている",
        "One is entered under its series or set, the other under its own title",
    ),
    ("title", "subtitle_differs"): (
        "本タイトルは一致するが副題が異なる",
        "The main title agrees, the subtitles differ",
    ),
    ("title", "other_title"): (
        "一方のタイトルが他方の巻タイトル・シリーズ・別タイトルと一致",
        "The title of one is the volume, series or alternative title of the other",
    ),
    ("title", "contained"): (
        "一方のタイトルは他方の一部にすぎない",
        "The title of one is only a part of the other",
    ),
    ("title", "similar"): ("タイトルがよく似ている", "The titles are much alike"),
    ("title", "rather_similar"): ("タイトルがかなり似ている", "The titles are rather alike"),
    ("title", "reordered"): (
        "同じ語からなるタイトル（語順が異なる、または一方が長い）",
        "The titles are made of the same words, in another order or with more",
    ),
    ("title", "overlapping"): (
        "タイトルが一部しか一致しない（語の半分以上は共通）",
        "The titles agree only in part, in half of their words or more",
    ),
    ("title", "unreadable"): (
        "タイトルを比べられない（読みがない、またはタイトルがない）",
        "The titles cannot be compared: a reading or a title is missing",
    ),
    ("title", "readable"): (
        "一方のタイトルは他方の読みと思われる（カナのみ）",
        "The title of one seems to be the reading of the other",
    ),
    ("title", "romanised"): (
        "一方はローマ字のタイトルで、読みを比べられない",
        "The title of one is romanised and cannot be compared with the other",
    ),
    ("title", "supplement"): ("一方は増刊・別冊・索引など", "Only one of them is a supplement or an index"),
    ("title", "unrelated"): ("タイトルが異なる", "The titles differ"),
    ("volume", "same"): ("巻次が一致", "The volume agrees"),
    ("volume", "same_bare"): ("タイトルの末尾の数字が一致", "The number at the end of the titles agrees"),
    ("volume", "set"): ("どちらもセットの書誌", "Both describe a set"),
    ("volume", "set_counted"): ("どちらも同じ巻数のセットの書誌", "Both describe a set of as many volumes"),
    ("volume", "set_miscounted"): (
        "どちらもセットの書誌だが巻数が異なる",
        "Both describe a set, of different numbers of volumes",
    ),
    ("volume", "unclear"): ("巻次の表し方が異なる", "The volumes are named in different ways"),
    ("volume", "one_side"): ("巻次が一方にしかない", "Only one states a volume"),
    ("volume", "one_side_isbn"): ("巻次は一方にしかないがISBNは同じ", "Only one states a volume, under one ISBN"),
    ("volume", "one_side_listed"): (
        "巻次は一方にしかなく、同じISBNがセットにも記載されている",
        "Only one states a volume; a set lists their ISBN too",
    ),
    ("volume", "one_side_titled"): (
        "巻次は一方にしかないが、巻のタイトルは一致",
        "Only one states a volume, but the volume titles agree",
    ),
    ("volume", "one_side_bare"): (
        "一方のタイトルの末尾だけに数字がある",
        "Only the title of one ends with a number",
    ),
    ("volume", "one_side_series"): (
        "一方のタイトルの末尾だけに数字がある（シリーズの番号の可能性）",
        "Only the title of one ends with a number, perhaps that of the series",
    ),
    ("volume", "perhaps_set"): ("一方は巻、他方はセットらしい", "One is a volume, the other seems to be the set"),
    ("volume", "set_unclear"): ("一方だけがセットの書誌", "Only one describes a set"),
    ("volume", "set_listed"): (
        "一方だけがセットの書誌だが、同じ複数のISBNを持つ",
        "Only one describes a set, but both list the same ISBNs",
    ),
    ("volume", "one_of_set"): (
        "一方はセットの書誌で、他方のISBNはその一部",
        "One describes a set that lists the other's ISBN among others",
    ),
    ("volume", "part"): (
        "巻次を比べられない（記入のしかたが異なる）",
        "The volumes cannot be compared: entered differently",
    ),
    ("volume", "part_same"): ("シリーズの番号が一致", "The number in the series agrees"),
    ("volume", "part_same_one_side"): (
        "シリーズの番号が一致するが、巻次が一方にしかない",
        "The number in the series agrees, but only one states a volume",
    ),
    ("volume", "part_different"): ("シリーズの番号が異なる", "The numbers in the series differ"),
    ("volume", "part_one_side"): ("巻のタイトルに付く巻次が一方にしかない", "Only one numbers the part itself"),
    ("volume", "part_set"): ("一方は巻、他方はセットの書誌", "One describes a part, the other several"),
    ("volume", "part_against_set"): (
        "一方はセットの書誌で、他方はページ数のある巻",
        "One describes several volumes, the other a part with its number of pages",
    ),
    ("volume", "different"): ("巻次が異なる", "The volumes differ"),
    ("volume", "set_against_volume"): ("一方はセット、他方は巻", "One is a set, the other a volume of it"),
    ("volume", "set_against_bare"): (
        "一方はセットの書誌で、他方のタイトルは数字で終わる",
        "One is a set; the title of the other ends with a number",
    ),
    ("volume_title", "same"): ("巻のタイトルが一致", "The volume title agrees"),
    ("volume_title", "different"): ("巻のタイトルが異なる", "The volume titles differ"),
    ("edition", "same"): ("版が一致", "The edition agrees"),
    ("edition", "unclear"): ("版の表し方が異なる", "The editions are stated in different ways"),
    ("edition", "one_side"): ("版表示が一方にしかない", "Only one states an edition"),
    ("edition", "different"): ("版が異なる", "The editions differ"),
    ("edition", "one_side_undated"): (
        "版表示が一方にしかなく、出版年も比べられない",
        "Only one states an edition, and the years cannot be compared",
    ),
    ("edition", "one_side_later"): (
        "版表示が一方にしかなく、出版年も異なる",
        "Only one states an edition, and the years differ",
    ),
    ("edition", "one_side_isbn"): ("版表示が一方にしかないがISBNは同じ", "Only one states an edition, under one ISBN"),
    ("edition", "one_side_undated_isbn"): (
        "版表示が一方にしかなく、出版年も比べられないがISBNは同じ",
        "Only one states an edition, and the years cannot be compared, but the ISBN is the same",
    ),
    ("edition", "one_side_later_isbn"): (
        "版表示が一方にしかなく、出版年も異なるがISBNは同じ",
        "Only one states an edition, and the years differ, but the ISBN is the same",
    ),
    ("author", "same"): ("著者が一致", "The author agrees"),
    ("author", "family_name"): ("著者の姓が一致", "The author's family name agrees"),
    ("author", "similar"): ("著者名がよく似ている", "The authors' names are much alike"),
    ("author", "romanised"): ("著者のローマ字が読みと一致", "The romanised author agrees with the reading"),
    ("author", "different"): ("著者が異なる", "The authors differ"),
    ("publisher", "same"): ("出版者が一致", "The publisher agrees"),
    ("publisher", "similar"): ("出版者名がよく似ている", "The publishers' names are much alike"),
    ("publisher", "different"): ("出版者が異なる", "The publishers differ"),
    ("year", "same"): ("出版年が一致", "The year agrees"),
    ("year", "month"): ("出版年月が一致", "Year and month agree"),
    ("year", "next_month"): ("出版年は一致するが月が1か月違う", "The year agrees, the months are one apart"),
    ("year", "other_month"): ("出版年は一致するが月が異なる", "The year agrees, the months differ"),
    ("year", "near"): ("出版年が1年違う", "The years are one apart"),
    ("year", "printing"): (
        "出版年は異なるがISBNは同じ（増刷の可能性）",
        "The years differ under one ISBN: perhaps a later printing",
    ),
    ("year", "reprinted"): (
        "出版年は異なるが、新しい方は増刷の年",
        "The years differ, but the later one is that of a later printing",
    ),
    ("year", "far"): ("出版年が異なる", "The years differ"),
    ("year", "far_months"): ("出版年月が異なる", "Year and month differ"),
    ("year", "very_far"): ("出版年が大きく異なる", "The years are far apart"),
    ("reprint", "elsewhere"): (
        "別の出版者が年月を経て出版（復刻の可能性）",
        "Published again by another publisher after many years: perhaps a reprint",
    ),
    ("pages", "same"): ("ページ数が一致", "The number of pages agrees"),
    ("pages", "common"): (
        "ページ数が一致するが、同じ出版者・シリーズの別の本でもよくある",
        "The number of pages agrees, as it often does for different books of one publisher or series",
    ),
    ("pages", "near"): ("ページ数がほぼ一致", "The number of pages almost agrees"),
    ("pages", "close"): ("ページ数が近い", "The numbers of pages are close"),
    ("pages", "far"): ("ページ数が大きく異なる", "The numbers of pages are far apart"),
    ("pages", "different"): ("ページ数が異なる", "The numbers of pages differ"),
    ("size", "different"): ("大きさが異なる", "The sizes differ"),
    ("length", "same"): ("収録時間が一致", "The playing time agrees"),
    ("length", "different"): ("収録時間や枚数・巻数が異なる", "The playing time or the number of pieces differs"),
    ("series", "same"): ("シリーズが一致", "The series agrees"),
    ("series", "different"): ("シリーズの番号が異なる", "The numbers in the series differ"),
    ("kind", "different"): ("資料種別が異なる", "The kinds of material differ"),
    ("carrier", "different"): ("媒体が異なる（紙と電子など）", "The carriers differ (paper, digital, …)"),
    ("carrier", "unsure"): (
        "媒体が異なる可能性（一方の媒体が確かでない）",
        "The carriers may differ; one of them is not sure",
    ),
    ("carrier", "unsure_isbn"): (
        "媒体の記載は異なるがISBNは同じ（一方の媒体が確かでない）",
        "The carriers may differ, but the ISBN is the same",
    ),
    ("limit", "title"): (
        "タイトルが異なるため、確実とはしない",
        "The titles differ, so the pair is never certain",
    ),
    ("support", "title_only"): ("一方にはタイトルのほかに比べる項目がない", "One has nothing to compare but its title"),
    ("support", "one"): ("タイトル以外に一致する項目が一つしかない", "Only one thing agrees besides the title"),
    ("support", "none"): (
        "タイトル以外に一致する項目がない（短いタイトルでは二つ以上必要）",
        "Nothing agrees besides the title, or not enough for a short one",
    ),
}
_FORBIDS = ("同定しない", "keeps them apart")
_JAPANESE, _ENGLISH = 0, 1


def rule_outcomes() -> list[tuple[str, str]]:
    """The (rule, outcome) of everything that `compare` can return."""
    return [outcome for outcome in _SENTENCES if outcome[0] not in ("staff", "limit")]


def sentence(evidence: Evidence, language: str) -> str:
    """One piece of evidence with its weight: "The ISBN agrees (+3.0)". language: "ja"; anything else is English."""
    words, weight = text(evidence, language), weight_text(evidence, language)
    if not weight:
        return words
    return f"{words}（{weight}）" if language.startswith("ja") else f"{words} ({weight})"


def text(evidence: Evidence, language: str) -> str:
    """One piece of evidence without its weight."""
    texts = _SENTENCES.get((evidence.rule, evidence.outcome))
    # The database may hold a rule of an earlier version of the matcher.
    return texts[_column(language)] if texts else f"{evidence.rule}: {evidence.outcome}"


def weight_text(evidence: Evidence, language: str) -> str:
    """The weight of one piece of evidence as text: "+3.0", or that it forbids grouping; "" for a ruling."""
    if evidence.rule == "staff":
        return ""
    return _FORBIDS[_column(language)] if evidence.vetoes else points(evidence.weight)


def points(score: float) -> str:
    """Weights and their sums as people read them: "+1.4"."""
    return f"{score:+.1f}"


def _column(language: str) -> int:
    return _JAPANESE if language.startswith("ja") else _ENGLISH
