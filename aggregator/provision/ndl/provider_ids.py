"""The names of NDL Search's data providers (appendix 1 of its specification, 2025-11-05), by repository number. Pure.

A site that harvests a provider under the number that NDL Search gave it is searched under that provider's name, too.
"""

_TABLE = """
R000000004 zassaku zassaku-online
R000000004+R100000039 ndl-article-online
R000000005 shinsho
R000000006 refkyo
R000000007 awareness
R000000013 okayama
R000000014 aozora
R000000016 jstage
R000000020 warp
R000000025 irdb
R000000030 penclub
R000000032 narajo
R000000034 ibaraki
R000000035 u-kobe
R000000038 nara-tiiki
R000000039 nara-book
R000000046 tsukuba
R000000047 okinawa-1
R000000048 okinawa-2
R000000050 waseda
R000000051 suisan
R000000054 miyagi
R000000055 hiroshima-c
R000000058 sapporo
R000000059 hokkaido
R000000061 tokushima
R000000062 osaka-n
R000000185 saitama
R000000187 chiba
R000000189 yamagata
R000000190 iwate
R000000191 kawasakishi
R000000193 kanagawa
R000000194 toyama
R000000195 gifu
R000000196 yokohama
R000000198 miyada
R000000199 shizuoka
R000000202 hakodate
R000000204 miyazaki
R000000205 shiga
R000000206 niigata
R100000001 iss-yunika
R100000002 iss-ndl-opac iss-ndl-opac-bib iss-ndl-opac-national ndl-boj issn-online
R100000038 sapie
R100000039 ndl-dl ndl-dl-online ndl-dl-open ndl-dl-doi
R100000046 jaea
R100000049 tenroku
R100000073 ndl-dl-daisy
R100000074 nosui
R100000075 okinawa-rare-digital
R100000076 japanknowledge
R100000086 tokyo-metro-da
R100000087 komazawa-univ
R100000088 nwec-womens-da
R100000089 yamanashi-da
R100000090 nosui-library-da
R100000092 kyudai
R100000094 adeac
R100000097 ndl-ejournals
R100000098 ma-db
R100000099 s-court
R100000100 keio
R100000101 aomori
R100000102 u-tokyo
R100000103 fukui
R100000104 gunma
R100000105 u-kyoto
R100000106 nier-rare
R100000107 osaka-c
R100000108 nier-orai
R100000109 nier-mode
R100000110 nier-postw
R100000111 ajinomoto
R100000112 u-ryukyu
R100000113 saga
R100000114 u-kansai
R100000115 kyusan
R100000116 shimane-u
R100000117 fukui-newspaper
R100000118 daito
R100000119 shudo
R100000120 tottori-dc
R100000121 ajinomoto-d
R100000122 kamakura
R100000123 doshisha
R100000124 kyoto
R100000125 u-tokushima
R100000126 sanko
R100000127 bungakukan
R100000128 osaka-jibunkan
R100000129 shirayuri
R100000132 baika
R100000133 ishikawa-da
R100000134 kanabun
R100000135 ryukoku
R100000136 ciniir
R100000137 jpro jpro-book jpro-online jpro-audiobook jpro-online-repository jpro-online-tts
R100000138 nagoya
R100000139 chiba-u
R100000140 kochi
R100000141 irdb-pub
R100000142 hiroshima
R100000143 ibaraki-u
R100000144 u-kobe-s
R100000145 minamata
R100000146 dlib
R100000147 okura
R100000148 shibata
"""
NUMBERS: dict[str, tuple[str, ...]] = {
    name: tuple(numbers.split("+")) for numbers, *names in map(str.split, _TABLE.strip().splitlines()) for name in names
}
