"""Characters that are commonly typed for another one, because they look or sound alike. Pure.

Unlike the variants in `metadata.text.kanji` they are different characters, so they are never folded to one: a search
takes them literally, and only proposes the other spelling. Of kanji with variants the table has the form in use: 斎
stands for 齋, 斉 for 齊.
"""

from itertools import islice

from metadata.text.kanji import KANJI

# Every group holds characters that are mistaken for one another.
_GROUPS = (
    # in names of persons
    *(
        "斉斎",
        "坂阪",
        "川河",
        "辺部",
        "伊井",
        "太大",
        "郎朗",
        "治冶",
        "祐裕佑",
        "昭照",
        "恵慧",
        "弘宏",
        "幸行",
        "雄夫男",
    ),
    *("原源", "安阿", "荻萩", "藤籐", "菅管", "嗽漱", "真慎", "哲徹", "芳吉", "孝考", "史司", "美実", "千干", "堀掘"),
    # in titles: the same sound and a similar sense
    *("吾我", "余予", "後后", "裏里", "附付", "著着", "洲州", "面麺", "連聯", "回廻", "智知", "慾欲", "篇編", "註注"),
    *("讃賛", "叡英", "函箱", "輯集", "歌唄", "想思", "博専", "輔補"),
    # similar in shape
    *("未末", "土士", "己已巳", "日曰目", "千于", "待侍", "徴微", "撤徹", "複復", "講構購", "遂逐", "幣弊", "墓暮慕"),
    *("緑縁", "綱網", "鳥烏", "侯候", "偶遇隅", "壁璧", "栽裁", "環還", "積績", "獲穫", "剤済", "衰哀", "免兎"),
    *("概慨", "低抵", "倹険検", "燥操", "粗租組", "壌嬢", "栗粟", "崇祟", "亨享", "諭論輸", "矢失", "牛午", "枚枝"),
    *("字学", "晴青睛", "博搏", "特持", "列例", "因困", "閑間問", "若苦", "官宮", "析折", "貧貪", "遺遣", "拾捨"),
    # kana and kanji alike
    *("カ力", "ニ二", "ハ八", "エ工", "タ夕", "ト卜", "ロ口"),
)
_OTHERS: dict[str, list[str]] = {}
for _group in _GROUPS:
    for _char in _group:
        _OTHERS.setdefault(_char, []).extend(other for other in _group if other != _char)


def confused_spellings(text: str, most: int) -> list[str]:
    """Return the text with one of its characters replaced by one that is commonly confused with it; at most `most`."""
    spellings = (
        text[:place] + other + text[place + 1 :]
        for place, char in enumerate(text)
        for other in _OTHERS.get(KANJI.get(char, char), ())
    )
    return list(islice(dict.fromkeys(spellings), most))
