"""Records as JSON and as rows of a table, for files that librarians upload."""

from pathlib import Path

from metadata.formats.common.format import UNRANKED, Format
from metadata.formats.json import read, rules
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label

FORMAT = Format(
    prefix="json",
    label=Label("JSON と表形式", "JSON and tables"),
    about=Label(
        "JSONまたは表：含まれる項目が多いほど詳しくなります。",
        "Records as JSON or as a table: as detailed as their fields.",
    ),
    rank=UNRANKED,
    requested=False,
    is_data=read.is_json,
    read_data=read.read,
    files=("json", "table"),
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
)
