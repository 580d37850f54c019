"""Colours of drawn covers, by class of the Nippon Decimal Classification. Pure."""

from typing import NamedTuple

CREAM, INK, GOLD = "#fbf6e9", "#22282b", "#d9b45b"


class Colours(NamedTuple):
    """cloth: of the cover. shade: a darker one of the same hue. tint: a light one, for ornaments on the cloth."""

    cloth: str
    shade: str
    tint: str


# Named after Japanese dyes. Cream type on the cloth has a contrast of at least 4.5.
OF_DIVISION = {
    "0": Colours("#4d5a66", "#394550", "#9fb0bd"),  # 藍鼠 general works
    "1": Colours("#5d4477", "#45305c", "#b9a3d0"),  # 桔梗 philosophy
    "2": Colours("#7a4d2e", "#5d381f", "#d3a987"),  # 檜皮 history
    "3": Colours("#1f4f7a", "#143a5c", "#8fb8dc"),  # 藍 social sciences
    "4": Colours("#2c6650", "#1d4c3a", "#93c7b1"),  # 常磐 natural sciences
    "5": Colours("#35525e", "#243d47", "#96b6c2"),  # 鉄紺 technology
    "6": Colours("#71601a", "#564810", "#cfbd74"),  # 鶯茶 industry
    "7": Colours("#93284c", "#711b38", "#e0a0b6"),  # 臙脂 arts
    "8": Colours("#1d6a73", "#124f56", "#8ac8cf"),  # 浅葱 language
    "9": Colours("#9a3a28", "#77291b", "#e3a896"),  # 蘇芳 literature
    "": Colours("#5c6659", "#464f44", "#b3beae"),  # 利休鼠 not classified
}
# Quiet colours that no class has, so that a shelf of books without a class is not of one colour.
UNCLASSIFIED = (
    OF_DIVISION[""],
    Colours("#6b5b4f", "#51443a", "#c9b8a8"),  # 煤竹
    Colours("#645c69", "#4c4551", "#bfb6c4"),  # 鳩羽鼠
    Colours("#5e5b40", "#47452f", "#c2bd9d"),  # 海松
    Colours("#566367", "#404b4f", "#b0bfc4"),  # 青鈍
)
