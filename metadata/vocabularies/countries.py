"""Country codes of ISO 3166-1: alpha-3, as some systems send it, to alpha-2; names of countries. Tables."""

from metadata.vocabularies.dcndl import Label

_CODES = """
ABW:AW AFG:AF AGO:AO AIA:AI ALA:AX ALB:AL AND:AD ARE:AE ARG:AR ARM:AM ASM:AS ATA:AQ ATF:TF ATG:AG AUS:AU AUT:AT
AZE:AZ BDI:BI BEL:BE BEN:BJ BES:BQ BFA:BF BGD:BD BGR:BG BHR:BH BHS:BS BIH:BA BLM:BL BLR:BY BLZ:BZ BMU:BM BOL:BO
BRA:BR BRB:BB BRN:BN BTN:BT BVT:BV BWA:BW CAF:CF CAN:CA CCK:CC CHE:CH CHL:CL CHN:CN CIV:CI CMR:CM COD:CD COG:CG
COK:CK COL:CO COM:KM CPV:CV CRI:CR CUB:CU CUW:CW CXR:CX CYM:KY CYP:CY CZE:CZ DEU:DE DJI:DJ DMA:DM DNK:DK DOM:DO
DZA:DZ ECU:EC EGY:EG ERI:ER ESH:EH ESP:ES EST:EE ETH:ET FIN:FI FJI:FJ FLK:FK FRA:FR FRO:FO FSM:FM GAB:GA GBR:GB
GEO:GE GGY:GG GHA:GH GIB:GI GIN:GN GLP:GP GMB:GM GNB:GW GNQ:GQ GRC:GR GRD:GD GRL:GL GTM:GT GUF:GF GUM:GU GUY:GY
HKG:HK HMD:HM HND:HN HRV:HR HTI:HT HUN:HU IDN:ID IMN:IM IND:IN IOT:IO IRL:IE IRN:IR IRQ:IQ ISL:IS ISR:IL ITA:IT
JAM:JM JEY:JE JOR:JO JPN:JP KAZ:KZ KEN:KE KGZ:KG KHM:KH KIR:KI KNA:KN KOR:KR KWT:KW LAO:LA LBN:LB LBR:LR LBY:LY
LCA:LC LIE:LI LKA:LK LSO:LS LTU:LT LUX:LU LVA:LV MAC:MO MAF:MF MAR:MA MCO:MC MDA:MD MDG:MG MDV:MV MEX:MX MHL:MH
MKD:MK MLI:ML MLT:MT MMR:MM MNE:ME MNG:MN MNP:MP MOZ:MZ MRT:MR MSR:MS MTQ:MQ MUS:MU MWI:MW MYS:MY MYT:YT NAM:NA
NCL:NC NER:NE NFK:NF NGA:NG NIC:NI NIU:NU NLD:NL NOR:NO NPL:NP NRU:NR NZL:NZ OMN:OM PAK:PK PAN:PA PCN:PN PER:PE
PHL:PH PLW:PW PNG:PG POL:PL PRI:PR PRK:KP PRT:PT PRY:PY PSE:PS PYF:PF QAT:QA REU:RE ROU:RO RUS:RU RWA:RW SAU:SA
SDN:SD SEN:SN SGP:SG SGS:GS SHN:SH SJM:SJ SLB:SB SLE:SL SLV:SV SMR:SM SOM:SO SPM:PM SRB:RS SSD:SS STP:ST SUR:SR
SVK:SK SVN:SI SWE:SE SWZ:SZ SXM:SX SYC:SC SYR:SY TCA:TC TCD:TD TGO:TG THA:TH TJK:TJ TKL:TK TKM:TM TLS:TL TON:TO
TTO:TT TUN:TN TUR:TR TUV:TV TWN:TW TZA:TZ UGA:UG UKR:UA UMI:UM URY:UY USA:US UZB:UZ VAT:VA VCT:VC VEN:VE VGB:VG
VIR:VI VNM:VN VUT:VU WLF:WF WSM:WS YEM:YE ZAF:ZA ZMB:ZM ZWE:ZW
"""

ALPHA_2: dict[str, str] = dict(pair.split(":") for pair in _CODES.split())
COUNTRIES = frozenset(ALPHA_2.values())

# Countries that publish many books; other countries are shown by their code.
_NAMES = """
JP:日本:Japan CN:中国:China KR:韓国:South_Korea KP:北朝鮮:North_Korea TW:台湾:Taiwan HK:香港:Hong_Kong MO:マカオ:Macao
MN:モンゴル:Mongolia US:アメリカ:United_States CA:カナダ:Canada MX:メキシコ:Mexico GB:イギリス:United_Kingdom
IE:アイルランド:Ireland FR:フランス:France DE:ドイツ:Germany AT:オーストリア:Austria CH:スイス:Switzerland
LI:リヒテンシュタイン:Liechtenstein NL:オランダ:Netherlands BE:ベルギー:Belgium LU:ルクセンブルク:Luxembourg
IT:イタリア:Italy VA:バチカン:Vatican_City SM:サンマリノ:San_Marino MC:モナコ:Monaco MT:マルタ:Malta ES:スペイン:Spain
PT:ポルトガル:Portugal AD:アンドラ:Andorra DK:デンマーク:Denmark SE:スウェーデン:Sweden NO:ノルウェー:Norway
FI:フィンランド:Finland IS:アイスランド:Iceland EE:エストニア:Estonia LV:ラトビア:Latvia LT:リトアニア:Lithuania
PL:ポーランド:Poland CZ:チェコ:Czechia SK:スロバキア:Slovakia HU:ハンガリー:Hungary RO:ルーマニア:Romania
BG:ブルガリア:Bulgaria SI:スロベニア:Slovenia HR:クロアチア:Croatia RS:セルビア:Serbia
BA:ボスニア・ヘルツェゴビナ:Bosnia_and_Herzegovina ME:モンテネグロ:Montenegro MK:北マケドニア:North_Macedonia
AL:アルバニア:Albania GR:ギリシャ:Greece CY:キプロス:Cyprus RU:ロシア:Russia BY:ベラルーシ:Belarus
UA:ウクライナ:Ukraine MD:モルドバ:Moldova GE:ジョージア:Georgia AM:アルメニア:Armenia AZ:アゼルバイジャン:Azerbaijan
KZ:カザフスタン:Kazakhstan UZ:ウズベキスタン:Uzbekistan TM:トルクメニスタン:Turkmenistan KG:キルギス:Kyrgyzstan
TJ:タジキスタン:Tajikistan TR:トルコ:Türkiye IL:イスラエル:Israel PS:パレスチナ:Palestine LB:レバノン:Lebanon
SY:シリア:Syria JO:ヨルダン:Jordan IQ:イラク:Iraq IR:イラン:Iran SA:サウジアラビア:Saudi_Arabia
AE:アラブ首長国連邦:United_Arab_Emirates QA:カタール:Qatar KW:クウェート:Kuwait BH:バーレーン:Bahrain OM:オマーン:Oman
YE:イエメン:Yemen AF:アフガニスタン:Afghanistan PK:パキスタン:Pakistan IN:インド:India NP:ネパール:Nepal
BT:ブータン:Bhutan BD:バングラデシュ:Bangladesh LK:スリランカ:Sri_Lanka MV:モルディブ:Maldives MM:ミャンマー:Myanmar
TH:タイ:Thailand LA:ラオス:Laos KH:カンボジア:Cambodia VN:ベトナム:Viet_Nam MY:マレーシア:Malaysia
SG:シンガポール:Singapore BN:ブルネイ:Brunei ID:インドネシア:Indonesia TL:東ティモール:Timor-Leste
PH:フィリピン:Philippines AU:オーストラリア:Australia NZ:ニュージーランド:New_Zealand FJ:フィジー:Fiji
PG:パプアニューギニア:Papua_New_Guinea PW:パラオ:Palau EG:エジプト:Egypt LY:リビア:Libya TN:チュニジア:Tunisia
DZ:アルジェリア:Algeria MA:モロッコ:Morocco SD:スーダン:Sudan ET:エチオピア:Ethiopia KE:ケニア:Kenya
TZ:タンザニア:Tanzania UG:ウガンダ:Uganda RW:ルワンダ:Rwanda NG:ナイジェリア:Nigeria GH:ガーナ:Ghana
SN:セネガル:Senegal CI:コートジボワール:Côte_d’Ivoire CM:カメルーン:Cameroon CD:コンゴ民主共和国:DR_Congo
AO:アンゴラ:Angola MZ:モザンビーク:Mozambique ZM:ザンビア:Zambia ZW:ジンバブエ:Zimbabwe NA:ナミビア:Namibia
BW:ボツワナ:Botswana ZA:南アフリカ:South_Africa MG:マダガスカル:Madagascar MU:モーリシャス:Mauritius CU:キューバ:Cuba
JM:ジャマイカ:Jamaica HT:ハイチ:Haiti DO:ドミニカ共和国:Dominican_Republic PR:プエルトリコ:Puerto_Rico
TT:トリニダード・トバゴ:Trinidad_and_Tobago GT:グアテマラ:Guatemala HN:ホンジュラス:Honduras
SV:エルサルバドル:El_Salvador NI:ニカラグア:Nicaragua CR:コスタリカ:Costa_Rica PA:パナマ:Panama CO:コロンビア:Colombia
VE:ベネズエラ:Venezuela EC:エクアドル:Ecuador PE:ペルー:Peru BO:ボリビア:Bolivia BR:ブラジル:Brazil
PY:パラグアイ:Paraguay UY:ウルグアイ:Uruguay AR:アルゼンチン:Argentina CL:チリ:Chile
"""
NAMES: dict[str, Label] = {
    code: Label(ja, en.replace("_", " ")) for code, ja, en in (entry.split(":") for entry in _NAMES.split())
}
