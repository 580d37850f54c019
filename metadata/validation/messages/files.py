"""Messages about a record read from a file: a row of a table, a MARC record, a line."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

FILES = {
    "file.E001": RuleText(
        Severity.RECORD_ERROR,
        "{field} の MARC レコードは壊れています（{value}）。このレコードだけを除き、ほかは登録しました。",
        "The MARC record at {field} is broken ({value}). Only this one was left out; the others were registered.",
        "図書館システムから MARC をもう一度出力してください。転送は必ずバイナリモードで行ってください。",
        "Export the MARC file again, and always transfer it in binary mode.",
        "ISO 2709",
        example="01500nam a2200205 i 4500001000900000…  (the leader says 1,500 bytes, the file ends after 730)",
    ),
    "file.E002": RuleText(
        Severity.RECORD_ERROR,
        "{field} の行は表の形に合いません（{value}）。この行だけを除き、ほかは登録しました。",
        "The row at {field} does not fit the table ({value}). Only this one was left out; the others were registered.",
        "その行の引用符と区切り文字を確かめてください。値の中に区切り文字があるときは引用符で囲みます。",
        "Check quotation marks and separators in that row; a value that contains a separator is put between quotation marks.",
        "RFC 4180",
        example=('書名,著者,出版年\n"こころ,夏目漱石,1914'),
    ),
    "file.E003": RuleText(
        Severity.RECORD_ERROR,
        "{field} の行は JSON のレコードとして読めません（{value}）。この行だけを除き、ほかは登録しました。",
        "The line at {field} cannot be read as a record in JSON ({value}). Only this one was left out; the others were registered.",
        "「export」で出力し直すか、その行を直してください。",
        "Export the file again, or repair that line.",
        "RFC 8259",
        example='{"titles": [{"value": "こころ"}], "issued": "1914"',
    ),
    "file.W004": RuleText(
        Severity.WARNING,
        "{field} のレコードに識別子がありません。内容から識別子を作りました。内容が変わると別のレコードになります。",
        "The record at {field} has no identifier. An identifier was made from its content; if the content changes, it will become another record.",
        "すべてのレコードに、変わらない識別子（書誌 ID など）を付けてください。表の場合は識別子の列を対応づけてください。",
        "Give every record an identifier that never changes; in a table, say which column holds it.",
        "our own: a record is recognised by its identifier",
        example=("書名,著者,出版年\nこころ,夏目漱石,1914"),
    ),
}
