"""Imprints and their publishing houses, and firms that sell the books of others. A table; compares nothing.

Catalogues name either of the two: ちくま文庫 is a series of 筑摩書房, and オーム社 sells what オライリー・ジャパン
publishes.
An imprint whose name begins with that of its publisher (講談社文庫) needs no entry.
"""

_IMPRINTS = """
ちくま文庫 ちくま学芸文庫 ちくま新書 ちくまプリマー新書 = 筑摩書房
岩波文庫 岩波新書 岩波現代文庫 岩波少年文庫 岩波ジュニア新書 = 岩波書店
中公文庫 中公新書 中公クラシックス = 中央公論新社
文春文庫 文春新書 = 文藝春秋
新潮文庫 新潮新書 新潮選書 = 新潮社
角川文庫 角川ソフィア文庫 角川ホラー文庫 角川つばさ文庫 角川スニーカー文庫 富士見ファンタジア文庫 電撃文庫 = 角川書店
ハヤカワ文庫 早川文庫 ハヤカワ・ミステリ文庫 = 早川書房
創元推理文庫 創元SF文庫 創元ライブラリ = 東京創元社
河出文庫 = 河出書房新社
旺文社文庫 = 旺文社
平凡社ライブラリー 東洋文庫 = 平凡社
つばさ文庫 = KADOKAWA
ヤマケイ文庫 = 山と溪谷社
ブルーバックス = 講談社
白水Uブックス = 白水社
だいわ文庫 = 大和書房
知恵の森文庫 = 光文社
現代教養文庫 = 社会思想社
"""
_SELLERS = """
オーム社 = オライリー・ジャパン
"""


def _entries(table: str) -> list[tuple[list[str], str]]:
    lines = [line.partition(" = ") for line in table.strip().splitlines()]
    return [(names.split(), house) for names, _, house in lines]


HOUSES: dict[str, str] = {name: house for names, house in _entries(_IMPRINTS) for name in names}
SELLERS: dict[str, str] = {name: house for names, house in _entries(_SELLERS) for name in names}
