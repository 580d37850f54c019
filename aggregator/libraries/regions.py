"""Regions, prefectures (JIS X 0401) and municipalities (JIS X 0402) of Japan, with their names. Pure.

Of the municipalities only some are named: the designated cities, the seats of prefectures and the wards of Tokyo. A
municipality without a name here is shown by its prefecture.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from metadata.text.languages import in_language


@dataclass(frozen=True, slots=True)
class Place:
    """A region, prefecture or municipality. code: "" for a region; else as in JIS X 0401 ("27") or 0402 ("27100")."""

    code: str
    ja: str
    en: str

    def name(self, language: str) -> str:
        """The name on pages in this language."""
        return in_language(language, self.ja, self.en)


@dataclass(frozen=True, slots=True)
class Region:
    """One of the eight regions with its prefectures, from north to south. key: its name in addresses of pages."""

    key: str
    place: Place
    prefectures: tuple[Place, ...]


def place(code: str) -> Place | None:
    """Return the prefecture or municipality of a code; for an unknown municipality its prefecture, else None."""
    return MUNICIPALITIES.get(code) or PREFECTURES.get(code[:2])


def region_of(code: str) -> Region | None:
    """Return the region of a prefecture or municipality."""
    return _REGION_OF.get(code[:2])


def prefecture_in(text: str) -> str:
    """Return the code of the prefecture with which a text (an address) begins, else ""."""
    return next((place.code for place in PREFECTURES.values() if text.startswith(place.ja)), "")


def _place(line: str) -> Place:
    code, ja, en = line.split(maxsplit=2)
    return Place(code, ja, en)


def _places(text: str) -> tuple[Place, ...]:
    return tuple(_place(line) for line in text.strip().splitlines())


def _region(key: str, ja: str, en: str, prefectures: str) -> Region:
    return Region(key, Place("", ja, en), _places(prefectures))


REGIONS: tuple[Region, ...] = (
    _region("hokkaido", "北海道", "Hokkaido", "01 北海道 Hokkaido"),
    _region(
        "tohoku",
        "東北",
        "Tohoku",
        """
        02 青森県 Aomori
        03 岩手県 Iwate
        04 宮城県 Miyagi
        05 秋田県 Akita
        06 山形県 Yamagata
        07 福島県 Fukushima
        """,
    ),
    _region(
        "kanto",
        "関東",
        "Kanto",
        """
        08 茨城県 Ibaraki
        09 栃木県 Tochigi
        10 群馬県 Gunma
        11 埼玉県 Saitama
        12 千葉県 Chiba
        13 東京都 Tokyo
        14 神奈川県 Kanagawa
        """,
    ),
    _region(
        "chubu",
        "中部",
        "Chubu",
        """
        15 新潟県 Niigata
        16 富山県 Toyama
        17 石川県 Ishikawa
        18 福井県 Fukui
        19 山梨県 Yamanashi
        20 長野県 Nagano
        21 岐阜県 Gifu
        22 静岡県 Shizuoka
        23 愛知県 Aichi
        """,
    ),
    _region(
        "kinki",
        "近畿",
        "Kinki",
        """
        24 三重県 Mie
        25 滋賀県 Shiga
        26 京都府 Kyoto
        27 大阪府 Osaka
        28 兵庫県 Hyogo
        29 奈良県 Nara
        30 和歌山県 Wakayama
        """,
    ),
    _region(
        "chugoku",
        "中国",
        "Chugoku",
        """
        31 鳥取県 Tottori
        32 島根県 Shimane
        33 岡山県 Okayama
        34 広島県 Hiroshima
        35 山口県 Yamaguchi
        """,
    ),
    _region(
        "shikoku",
        "四国",
        "Shikoku",
        """
        36 徳島県 Tokushima
        37 香川県 Kagawa
        38 愛媛県 Ehime
        39 高知県 Kochi
        """,
    ),
    _region(
        "kyushu",
        "九州・沖縄",
        "Kyushu and Okinawa",
        """
        40 福岡県 Fukuoka
        41 佐賀県 Saga
        42 長崎県 Nagasaki
        43 熊本県 Kumamoto
        44 大分県 Oita
        45 宮崎県 Miyazaki
        46 鹿児島県 Kagoshima
        47 沖縄県 Okinawa
        """,
    ),
)
PREFECTURES: Mapping[str, Place] = {place.code: place for region in REGIONS for place in region.prefectures}
_REGION_OF = {place.code: region for region in REGIONS for place in region.prefectures}

MUNICIPALITIES: Mapping[str, Place] = {
    place.code: place
    for place in _places(
        """
        01100 札幌市 Sapporo
        02201 青森市 Aomori
        03201 盛岡市 Morioka
        04100 仙台市 Sendai
        05201 秋田市 Akita
        06201 山形市 Yamagata
        07201 福島市 Fukushima
        08201 水戸市 Mito
        09201 宇都宮市 Utsunomiya
        10201 前橋市 Maebashi
        11100 さいたま市 Saitama
        12100 千葉市 Chiba
        13101 千代田区 Chiyoda
        13102 中央区 Chuo
        13103 港区 Minato
        13104 新宿区 Shinjuku
        13105 文京区 Bunkyo
        13106 台東区 Taito
        13107 墨田区 Sumida
        13108 江東区 Koto
        13109 品川区 Shinagawa
        13110 目黒区 Meguro
        13111 大田区 Ota
        13112 世田谷区 Setagaya
        13113 渋谷区 Shibuya
        13114 中野区 Nakano
        13115 杉並区 Suginami
        13116 豊島区 Toshima
        13117 北区 Kita
        13118 荒川区 Arakawa
        13119 板橋区 Itabashi
        13120 練馬区 Nerima
        13121 足立区 Adachi
        13122 葛飾区 Katsushika
        13123 江戸川区 Edogawa
        14100 横浜市 Yokohama
        14130 川崎市 Kawasaki
        14150 相模原市 Sagamihara
        15100 新潟市 Niigata
        16201 富山市 Toyama
        17201 金沢市 Kanazawa
        18201 福井市 Fukui
        19201 甲府市 Kofu
        20201 長野市 Nagano
        21201 岐阜市 Gifu
        22100 静岡市 Shizuoka
        22130 浜松市 Hamamatsu
        23100 名古屋市 Nagoya
        24201 津市 Tsu
        25201 大津市 Otsu
        26100 京都市 Kyoto
        27100 大阪市 Osaka
        27140 堺市 Sakai
        28100 神戸市 Kobe
        29201 奈良市 Nara
        30201 和歌山市 Wakayama
        31201 鳥取市 Tottori
        32201 松江市 Matsue
        33100 岡山市 Okayama
        34100 広島市 Hiroshima
        35203 山口市 Yamaguchi
        36201 徳島市 Tokushima
        37201 高松市 Takamatsu
        38201 松山市 Matsuyama
        39201 高知市 Kochi
        40100 北九州市 Kitakyushu
        40130 福岡市 Fukuoka
        41201 佐賀市 Saga
        42201 長崎市 Nagasaki
        43100 熊本市 Kumamoto
        44201 大分市 Oita
        45201 宮崎市 Miyazaki
        46201 鹿児島市 Kagoshima
        47201 那覇市 Naha
        """
    )
}
