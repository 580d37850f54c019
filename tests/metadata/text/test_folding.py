"""Folding: what becomes equal, what must stay distinct, and that folding twice changes nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.text.folding import fold, fold_tight
from metadata.text.kanji import KANJI


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＡＢＣ　１２３", "abc 123"),
        ("學問のすゝめ", "学問のスヽメ"),
        ("渡邊 髙﨑 齋藤 濵田 𠮷田", "渡辺 高崎 斎藤 浜田 吉田"),
        ("鷗外全集", "鴎外全集"),
        ("ワンピース", "わんぴーす"),
        ("コンピューター", "コンピュータ"),
        ("コンピュータ", "こんぴゆうた".replace("う", "")),
        ("ヴァイオリン", "バイオリン"),
        ("レヴュー", "レビュー"),
        ("ちぢみ つづり", "チジミ ツズリ"),
        ("ゐろは ゑびす をとこ", "イロハ エビス オトコ"),
        ("ﾊﾟｿｺﾝ ｶﾞｲﾄﾞ", "パソコン ガイド"),
        ("デ-タベ－ス", "データベース"),
        ("Café Tōkyō naïve", "cafe tokyo naive"),
        ("Straße", "STRASSE"),
        ("O’Reilly's", "oreillys"),
        ("葛\U000e0100城", "葛城"),
        ("か\u3099くせい", "がくせい"),
    ],
)
def test_spellings_of_one_text_become_equal(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    "pair",
    (
        "后後 里裏 面麺 云雲 干乾 干幹 乾幹 谷穀 斗闘 丑醜 松鬆 系係 系繋 制製 征徴 志誌 才歳 児兄 咸鹹 只祇 出齣 占佔 "
        "吊弔 周週 回廻 夸誇 "
        "姜薑 巨鉅 布佈 几幾 御禦 復複 念唸 折摺 采採 曲麹 朱硃 机機 板闆 沖衝 注註 州洲 淀澱 游遊 着著 致緻 舍捨 表錶 "
        "郁鬱 坂阪 彫雕 須鬚 "
        "飢饑 斉斎 壱一 弐二 附付 舗鋪 連聯 余予 堺界 映暎 脩修 嘆歎 碕崎 鎌釜 竜竈 庄荘 苅刈"
    ).split(),
)
def test_common_characters_stay_distinct(pair: str) -> None:
    assert fold(pair[0]) != fold(pair[1])


@pytest.mark.parametrize(
    "pair",
    (
        "亞亜 惡悪 爲為 逸逸 榮栄 衞衛 謁謁 圓円 緣縁 薗園 應応 櫻桜 奧奥 橫横 溫温 價価 禍禍 悔悔 海海 壞壊 懷懐 樂楽 "
        "渴渇 卷巻 陷陥 寬寛 漢漢 氣気 "
        "祈祈 器器 僞偽 戲戯 虛虚 峽峡 狹狭 響響 曉暁 勤勤 謹謹 駈駆 勳勲 薰薫 惠恵 揭掲 鷄鶏 藝芸 擊撃 縣県 儉倹 劍剣 "
        "險険 圈圏 檢検 顯顕 驗験 嚴厳 "
        "廣広 恆恒 黃黄 國国 黑黒 穀穀 碎砕 雜雑 祉祉 視視 兒児 濕湿 實実 社社 者者 煮煮 壽寿 收収 臭臭 從従 澁渋 獸獣 "
        "縱縦 祝祝 暑暑 署署 緖緒 諸諸 "
        "敍叙 將将 祥祥 涉渉 燒焼 奬奨 條条 狀状 乘乗 淨浄 剩剰 疊畳 孃嬢 讓譲 釀醸 神神 眞真 寢寝 愼慎 盡尽 粹粋 醉酔 "
        "穗穂 瀨瀬 齊斉 靜静 攝摂 節節 "
        "專専 戰戦 纖繊 禪禅 祖祖 壯壮 爭争 莊荘 搜捜 巢巣 曾曽 裝装 僧僧 層層 瘦痩 騷騒 增増 憎憎 藏蔵 贈贈 臟臓 卽即 "
        "帶帯 滯滞 瀧滝 單単 嘆嘆 團団 "
        "彈弾 晝昼 鑄鋳 著著 廳庁 徵徴 聽聴 懲懲 鎭鎮 轉転 傳伝 都都 嶋島 燈灯 盜盗 稻稲 德徳 突突 難難 拜拝 盃杯 賣売 "
        "梅梅 髮髪 拔抜 繁繁 晚晩 卑卑 "
        "祕秘 碑碑 賓賓 敏敏 冨富 侮侮 福福 拂払 佛仏 勉勉 步歩 峯峰 墨墨 飜翻 每毎 萬万 默黙 埜野 彌弥 藥薬 與与 搖揺 "
        "樣様 謠謡 來来 賴頼 覽覧 欄欄 "
        "龍竜 虜虜 凉涼 綠緑 淚涙 壘塁 類類 禮礼 曆暦 歷歴 練練 鍊錬 郞郎 朗朗 廊廊 錄録 亙亘 凜凛 堯尭 巖巌 晄晃 檜桧 "
        "槇槙 禰祢 祿禄 穰穣 萠萌 遙遥 "
        "豬猪 渚渚 琢琢 祐祐 禎禎 邉辺 邊辺 髙高 﨑崎 嵜崎 栁柳 桒桑 舘館 嶌島 淵渕 籔薮 藪薮 穐秋 舩船 槗橋 釼剣 濵浜 "
        "圀国 鐵鉄 鷗鴎 枩松"
    ).split(),
)
def test_old_forms_permitted_in_names_become_the_form_in_use(pair: str) -> None:
    assert fold(pair[0]) == fold(pair[1])


def test_old_forms_of_common_characters_become_the_form_in_use() -> None:
    pairs = (  # 常用漢字表 (2010): the form in brackets, and the form in use
        "乘乗 亂乱 亞亜 佛仏 來来 倂併 假仮 傳伝 僞偽 價価 儉倹 兒児 兩両 剩剰 劍剣 劑剤 勞労 勳勲 勵励 勸勧 "
        "區区 卷巻 卽即 參参 單単 嚴厳 囑嘱 圈圏 國国 圍囲 圓円 圖図 團団 增増 墮堕 壓圧 壘塁 壞壊 壤壌 壯壮 "
        "壹壱 壽寿 奧奥 奬奨 孃嬢 學学 寢寝 實実 寫写 寬寛 寶宝 將将 專専 對対 屆届 屬属 峽峡 嶽岳 巢巣 帶帯 "
        "廢廃 廣広 廳庁 彈弾 彌弥 徑径 從従 徵徴 德徳 恆恒 惠恵 惡悪 惱悩 愼慎 慘惨 應応 懷懐 戀恋 戰戦 戲戯 "
        "戾戻 拂払 拔抜 拜拝 挾挟 插挿 揭掲 搖揺 搜捜 擇択 擊撃 擔担 據拠 擧挙 擴拡 攝摂 收収 效効 敍叙 敕勅 "
        "數数 斷断 晚晩 晝昼 曆暦 曉暁 曾曽 會会 條条 棧桟 榮栄 槪概 樂楽 樓楼 樞枢 樣様 橫横 檢検 櫻桜 權権 "
        "歐欧 歡歓 步歩 歷歴 歸帰 殘残 殼殻 毆殴 每毎 氣気 涉渉 淚涙 淨浄 淺浅 渴渇 溪渓 溫温 滯滞 滿満 潛潜 "
        "澁渋 澤沢 濕湿 濟済 濱浜 瀧滝 瀨瀬 灣湾 燈灯 燒焼 營営 爐炉 爭争 爲為 犧犠 狀状 狹狭 獨独 獵猟 獸獣 "
        "獻献 甁瓶 畫画 當当 疊畳 瘦痩 癡痴 發発 盜盗 盡尽 眞真 硏研 碎砕 祕秘 禪禅 禮礼 稱称 稻稲 穗穂 穩穏 "
        "竊窃 竝並 粹粋 絲糸 經経 綠緑 緖緒 緣縁 縣県 縱縦 總総 繩縄 繪絵 繼継 續続 纖繊 缺欠 罐缶 聲声 聽聴 "
        "肅粛 腦脳 膽胆 臟臓 臺台 與与 舊旧 艷艶 莊荘 莖茎 萬万 薰薫 藏蔵 藝芸 藥薬 處処 虛虚 號号 螢蛍 蟲虫 "
        "蠶蚕 蠻蛮 衞衛 裝装 襃褒 覺覚 覽覧 觀観 觸触 謠謡 證証 譯訳 譽誉 讀読 變変 讓譲 豐豊 豫予 貳弐 賣売 "
        "賴頼 贊賛 踐践 輕軽 轉転 辭辞 遞逓 遲遅 邊辺 郞郎 鄕郷 醉酔 醫医 釀醸 釋釈 錄録 錢銭 鍊錬 鎭鎮 鐵鉄 "
        "鑄鋳 鑛鉱 關関 陷陥 隨随 險険 隱隠 雙双 雜雑 霸覇 靈霊 靜静 顯顕 飜翻 餘余 騷騒 驅駆 驗験 驛駅 髓髄 "
        "體体 髮髪 鬭闘 鷄鶏 鹽塩 麥麦 麵麺 黃黄 黑黒 默黙 點点 黨党 齊斉 齋斎 齒歯 齡齢 龍竜 欄欄 廊廊 朗朗 "
        "虜虜 殺殺 類類 隆隆 塚塚 神神 祥祥 福福 諸諸 都都 侮侮 僧僧 免免 勉勉 勤勤 卑卑 喝喝 嘆嘆 器器 塀塀 "
        "墨墨 層層 悔悔 慨慨 憎憎 懲懲 敏敏 既既 暑暑 梅梅 海海 漢漢 煮煮 碑碑 社社 祉祉 祈祈 祖祖 祝祝 禍禍 "
        "穀穀 突突 節節 練練 繁繁 署署 者者 臭臭 著著 褐褐 視視 謁謁 謹謹 賓賓 贈贈 逸逸 難難 響響 頻頻 "
    ).split()
    assert [pair for pair in pairs if fold(pair[0]) != fold(pair[1])] == []


def test_no_form_in_use_is_itself_a_variant() -> None:
    assert not set(KANJI.values()) & set(KANJI)
    assert len(KANJI) > 450


def test_no_form_has_more_than_four_variants() -> None:
    forms = list(KANJI.values())
    assert max(map(forms.count, forms)) <= 4


def test_words_are_separated_by_single_blanks() -> None:
    assert fold(" Foo--bar :　baz・qux. ") == "foo bar baz qux"


def test_plus_and_sharp_in_names_of_languages_are_kept() -> None:
    assert fold("C++とC# #1") == "c++トc# 1"


def test_the_tight_form_has_no_blanks_and_no_punctuation() -> None:
    assert fold_tight("夏目 漱石『坊っちゃん』") == fold_tight("夏目漱石 坊つちやん")


@given(st.text())
def test_folding_twice_changes_nothing(value: str) -> None:
    assert fold(fold(value)) == fold(value)


@given(st.text(alphabet=st.sampled_from("がか゛\u3099\u309aﾞﾟカヴァィー-—ーｳABé\u0301ßİ#+ 學\U000e0100ﬁ①㌔각ᄀ")))
def test_folding_twice_changes_nothing_for_combining_characters(value: str) -> None:
    assert fold(fold(value)) == fold(value)


@given(st.text())
def test_the_tight_form_is_the_folded_form_without_blanks(value: str) -> None:
    assert fold_tight(value) == fold(value).replace(" ", "")


def test_time_is_linear_in_the_length() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        fold(text)
        return time.process_time() - start

    assert seconds("ヴ-＃ｶﾞ " * 40_000) < 100 * max(seconds("ヴ-＃ｶﾞ " * 4_000), 0.001)
