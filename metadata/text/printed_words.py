"""Where words begin and end in printed texts, including Japanese ones, which have no spaces between words. Pure.

Without a dictionary, words are told by the script: 吾輩は猫である has the words 吾輩は and 猫である, and
図書館情報学シリーズ has 図書館情報学 and シリーズ. So a compound of kanji is one word here, and no word is ever cut
within katakana or Latin letters.
"""

import re
from itertools import pairwise

from metadata.text.folding import fold

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = "ァ-ヺー"
_HIRAGANA = "ぁ-ゖゝゞ"
# Hiragana begins a word only after a space or a sign: after kanji it is an ending or a particle.
_WORD = re.compile(
    rf"[{_KANJI}]+|[{_KATAKANA}]+|(?<!\w)[{_HIRAGANA}]+|[^\W_{_KANJI}{_KATAKANA}{_HIRAGANA}]+(?:['’][^\W_{_HIRAGANA}]+)*"
)
_IN_KANJI = re.compile(f"[{_KANJI}]").match
# Texts of words in one script each, with a blank or a sign between any two: most names and nearly all readings, also
# with a year ("1962-"). `fold` separates their words.
_OF_ONE_SCRIPT = rf"(?:[{_KANJI}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+|[A-Za-z0-9]+)"
_IS_SPACED = re.compile(f"(?:{_OF_ONE_SCRIPT}[ ,.・:;=/()]+)*{_OF_ONE_SCRIPT}?-?").fullmatch
# A word of hiragana after kanji, which is not part of the word before it: 猫|の, but 動く, 新しい.
_PARTICLE = re.compile("[のはがをにとでもへやか]").match


def tails(text: str, folded: str, most: int) -> list[str]:
    """Return the text from its second word on, from its third and so on, folded and without spaces; at most `most`.

    Single kana and Latin letters begin none: they are particles, articles and initials. folded: `fold` of the text.
    """
    words = (folded if _IS_SPACED(text) else fold(_WORD.sub(r" \g<0>", text))).split()
    tight, start, found = "".join(words), 0, []
    for before, word in pairwise(words):
        start += len(before)
        if len(word) > 1 or _IN_KANJI(word):
            found.append(tight[start:])
            if len(found) == most:
                break
    return found


def whole_words(text: str, start: int, end: int) -> str:
    """Return the part of the text from `start` to `end`, extended so that no word is cut.

    It may begin within a compound of kanji, where the end is a word of its own: 情報学 in 図書館情報学.
    """
    while start > 0 and not _is_start(text, start):
        start -= 1
    while end < len(text) and not _is_end(text, end):
        end += 1
    return text[start:end].strip()


def _is_start(text: str, place: int) -> bool:
    return bool(_IN_KANJI(text[place])) or not _joined(text, place)


def _is_end(text: str, place: int) -> bool:
    if _IN_KANJI(text[place - 1]) and _PARTICLE(text[place]):
        return True
    return not _joined(text, place) and not (_IN_KANJI(text[place - 1]) and "ぁ" <= text[place] <= "ゖ")


def _joined(text: str, place: int) -> bool:
    """Whether the characters before and after a place belong to one word."""
    before, after = text[place - 1], text[place]
    return before.isalnum() and after.isalnum() and _script(before) == _script(after)


def _script(char: str) -> int:
    for number, letters in enumerate(_SCRIPTS):
        if letters(char):
            return number
    return len(_SCRIPTS)


_SCRIPTS = tuple(re.compile(f"[{letters}]").match for letters in (_KANJI, _KATAKANA, _HIRAGANA))
