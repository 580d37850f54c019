"""Table of old and variant kanji with the form that replaces them in search and matching.

Each pair is the variant, then the form in use. Sources: 常用漢字表 (2010, forms in brackets), 人名用漢字表 (both
parts), 表外漢字字体表 (簡易慣用字体), and forms that are common in Japanese family names. Forms that NFKC already
unites (CJK compatibility ideographs such as U+FA19) are left out on purpose.

Only variants of the same character belong here. Common characters that merely share a history or a Chinese
simplification must stay distinct (后 後, 里 裏, 面 麺, 余 予, 斉 斎, 坂 阪, 着 著, 州 洲): if they were folded to one
form, different titles and different people would match.
"""

# 旧字体 and other variants of 常用漢字, ordered by the Japanese reading of the form in use.
_COMMON = """
亞亜 惡悪 壓圧 圍囲 爲為 醫医 壹壱 稻稲 飮飲 隱隠 營営 榮栄 衞衛 銳鋭 驛駅 悅悦 閱閲 圓円 緣縁 鹽塩 艷艶 奧奥 應応
毆殴 櫻桜 歐欧 橫横 溫温 穩穏 假仮 價価 畫画 畵画 會会 囘回 壞壊 懷懐 繪絵 擴拡 殼殻 覺覚 學学 斈学 嶽岳 樂楽 渴渇
罐缶 卷巻 陷陥 勸勧 寬寛 關関 歡歓 觀観 顏顔 氣気 旣既 歸帰 皈帰 僞偽 戲戯 犧犠 龜亀 卻却 舊旧 據拠 擧挙 舉挙 虛虚
峽峡 挾挟 敎教 强強 狹狭 鄕郷 曉暁 區区 驅駆 駈駆 勳勲 勛勲 薰薫 徑径 惠恵 揭掲 攜携 溪渓 經経 繼継 莖茎 螢蛍 輕軽
鷄鶏 雞鶏 藝芸 擊撃 缺欠 儉倹 劍剣 劔剣 劒剣 圈圏 檢検 權権 獻献 硏研 縣県 險険 顯顕 驗験 嚴厳 戶戸 吳呉 娛娯 恆恒
效効 廣広 黃黄 鑛鉱 礦鉱 砿鉱 號号 國国 囯国 圀国 黑黒 吿告 碎砕 濟済 齋斎 劑剤 册冊 雜雑 產産 參参 慘惨 棧桟 蠶蚕
贊賛 殘残 絲糸 姊姉 齒歯 兒児 辭辞 濕湿 實実 舍舎 寫写 釋釈 壽寿 收収 從従 澁渋 澀渋 獸獣 縱縦 肅粛 處処 緖緒 敍叙
敘叙 奬奨 獎奨 將将 尙尚 涉渉 燒焼 稱称 證証 乘乗 剩剰 壤壌 孃嬢 條条 淨浄 狀状 疊畳 疉畳 讓譲 釀醸 囑嘱 觸触 寢寝
愼慎 眞真 盡尽 圖図 粹粋 醉酔 隨随 髓髄 數数 樞枢 瀨瀬 聲声 靑青 淸清 齊斉 靜静 稅税 竊窃 攝摂 說説 絕絶 專専 戰戦
淺浅 潛潜 濳潜 纖繊 纎繊 踐践 錢銭 禪禅 曾曽 雙双 壯壮 搜捜 插挿 揷挿 巢巣 爭争 瘦痩 總総 緫総 莊荘 裝装 騷騒 增増
臟臓 藏蔵 卽即 屬属 續続 墮堕 對対 體体 躰体 軆体 帶帯 滯滞 臺台 瀧滝 擇択 澤沢 單単 擔担 膽胆 團団 彈弾 斷断 癡痴
遲遅 晝昼 蟲虫 鑄鋳 廳庁 聽聴 徵徴 敕勅 鎭鎮 脫脱 遞逓 鐵鉄 銕鉄 鐡鉄 轉転 點点 奌点 傳伝 黨党 盜盗 燈灯 當当 鬭闘
鬪闘 德徳 獨独 讀読 屆届 貳弐 惱悩 腦脳 霸覇 廢廃 拜拝 賣売 麥麦 發発 髮髪 拔抜 蠻蛮 祕秘 濱浜 濵浜 甁瓶 拂払 佛仏
竝並 倂併 餠餅 變変 邊辺 邉辺 辨弁 瓣弁 辯弁 舖舗 步歩 穗穂 寶宝 寳宝 襃褒 豐豊 沒没 飜翻 槪概 每毎 萬万 滿満 麵麺
默黙 彌弥 藥薬 譯訳 豫予 餘余 與与 譽誉 搖揺 樣様 謠謡 來来 賴頼 亂乱 覽覧 兩両 獵猟 綠緑 龍竜 鄰隣 壘塁 淚涙 勵励
禮礼 隸隷 靈霊 齡齢 曆暦 歷歴 戀恋 爐炉 鍊錬 勞労 樓楼 郞郎 祿禄 錄録 灣湾 戾戻 剝剥 塡填 頰頬 𠮟叱 晚晩 牀床 畧略
窻窓 窗窓 慙慚 盃杯 凉涼 羣群 裡裏 耻恥 鎔熔 墻牆 侭儘 彥彦 姬姫 遙遥 歲歳 繩縄 內内 鬬闘 篭籠 喻喩 眾衆 兔兎 塲場
麪麺 罸罰 壻婿 聟婿 腳脚 膓腸 膸髄 盖蓋 觧解 豔艶 踴踊 隂陰 韵韻 黏粘 劵券 咒呪 脣唇 啟啓 噐器 梦夢 妒妬 峩峨 弍弐
恠怪 欝鬱 况況 决決 冲沖 减減 凖準 淒凄 烟煙 猨猿 珎珍 畊耕 穉稚 竒奇 緜綿 脉脈 乕虎 貭質 迯逃 晉晋 釡釜 鑒鑑 閇閉
靣面 弃棄 舩船 遯遁 羮羹 栅柵 曵曳 寃冤 厰廠 皷鼓 徃往 惪徳 卆卒
"""

# 人名用漢字 and their permitted old forms, and variants in family names.
_NAMES = """
髙高 﨑崎 嵜崎 𠮷吉 栁柳 桒桑 桺柳 冨富 舘館 嶋島 嶌島 峯峰 淵渕 渊渕 埜野 薗園 籔薮 藪薮 檜桧 穐秋 龝秋 濶闊 槇槙
堯尭 巖巌 晄晃 凛凜 禰祢 穰穣 萠萌 亙亘 廼迺 煕熙 凞熙 鷗鴎 芦蘆 枩松 夘卯 夛多 寕寧 崗岡 恊協 喆哲 甞嘗 翆翠 聰聡
昻昂 瑤瑶 穎頴 臥卧 菴庵 豎竪 皋皐 臯皐 悳徳 曻昇 桝枡 栢柏 楳梅 釼剣 廰庁 毗毘 杤栃 槗橋 朖朗 熈熙 豬猪 贒賢 鈎鉤
閒間 靱靭 刄刃
"""

# Characters outside 常用漢字 whose printed and simplified forms are both in use (表外漢字字体表).
_PRINT = """
摑掴 禱祷 簞箪 啞唖 噓嘘 軀躯 鶯鴬 攪撹 麴麹 鹼鹸 嚙噛 囓噛 繡繍 綉繍 蔣蒋 醬醤 搔掻 屛屏 幷并 蠟蝋 彎弯 焰焔 讚讃
顚顛 醱醗 潑溌 輛輌 繫繋 瀆涜 蠅蝿 驒騨 俠侠 吞呑 蟬蝉 萊莱 鰺鯵 壺壷 諫諌 賤賎 邇迩 檮梼 灌潅 蠣蛎 囊嚢 濤涛 礪砺
竈竃 纒纏 頚頸 鼈鱉 鵞鵝 鴈雁 莓苺 荆荊 譌訛 贗贋 廐厩 廏厩 廚厨 箏筝 篡簒 蘂蕊 蕋蕊 蔥葱 蘓蘇 讎讐 韭韮 廁厠 廈厦
聨聯 覊羈 笋筍
"""

KANJI: dict[str, str] = {pair[0]: pair[1] for pair in f"{_COMMON}{_NAMES}{_PRINT}".split()}
