"""How a sentence reads where there is no value at all that it could show. Pure; knows phrases, no rules.

Most rules that miss an element also judge what stands in it, and have one sentence for both.
"""

# The longer phrases come first: the first one that a sentence has is replaced.
_JA = {
    "がないか、語彙にない値です（{value}）": "がありません",
    "がないか、年を読み取れません（{value}）": "がありません",
    "がないか、24文字ではありません（{value}）": "がありません",
    "がないか、40文字ではありません（{value}）": "がありません",
    "dc:date から年が読み取れません（{value}）": "dc:date がありません",
    "260／264 $c と 008 から出版年が読み取れません（{value}）": "260／264 $c にも 008 にも出版年がありません",
    "{field} から出版年が読み取れません（{value}）": "{field} に出版年がありません",
    "出版年が読み取れません（{value}）": "出版年を示す日付がありません",
    "出版年がありません（{value}）": "出版年がありません",
}
_EN = {
    " is missing or not in the vocabulary ({value})": " is missing",
    " is missing or has no year ({value})": " is missing",
    " is missing or not 24 characters long ({value})": " is missing",
    " is missing or not 40 characters long ({value})": " is missing",
    "No year can be read from dc:date ({value})": "There is no dc:date",
    "No year of publication can be read from 260/264 $c and 008 ({value})": "Neither 260/264 $c nor 008 has a year of publication",
    "No year of publication can be read from {field} ({value})": "{field} has no year of publication",
    "No year of publication can be read ({value})": "There is no date of publication",
    "No year of publication is known ({value})": "No year of publication is given",
}


def without_value(text: str, language: str) -> str:
    """The sentence of a rule for a record that has no such value; as it is where it says nothing of the kind."""
    phrases = _JA if language.startswith("ja") else _EN
    said = next((phrase for phrase in phrases if phrase in text), "")
    return text.replace(said, phrases[said]) if said else text
