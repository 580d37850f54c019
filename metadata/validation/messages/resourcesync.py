"""Messages about a single resource of a ResourceSync source: its hash, its length, its absence."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

RESOURCESYNC = {
    "rs.E001": RuleText(
        Severity.RECORD_ERROR,
        "取得したファイルのハッシュ値がリストの記載と一致しません（{field}: {value}）。レコードを登録しませんでした（以前の版があれば残ります）。",
        "The hash of the file received differs from the listed hash ({field}: {value}). The record was not registered; an earlier version stays in use.",
        "Resource List / Change List の hash を、実際に配信しているファイルから計算し直してください。リストの更新がファイルの更新に遅れている場合もあります。",
        "Compute the hash in the Resource List or Change List from the file that is actually served. "
        "Perhaps the list is older than the file.",
        "ResourceSync 1.1, 7",
        example=(
            "<url><loc>https://library.example.jp/records/12.xml</loc>\n"
            '  <rs:md hash="sha-256:0000000000000000000000000000000000000000000000000000000000000000"/></url>'
        ),
    ),
    "rs.E002": RuleText(
        Severity.RECORD_ERROR,
        "リストにあるメタデータを {field} から取得できませんでした（{value}）。レコードを登録しませんでした（以前の版があれば残ります）。",
        "The listed metadata could not be fetched from {field} ({value}). The record was not registered; an earlier version stays in use.",
        'URL を確かめてください。削除したものなら、リストから除くか Change List に change="deleted" と書いてください。',
        'Check the URL. If the resource is deleted, remove it from the list or put change="deleted" into the Change List.',
        "ResourceSync 1.1, 10.1, 12.1",
        example="<url><loc>https://library.example.jp/records/gone.xml</loc></url>  (the address answers 404)",
    ),
    "rs.E003": RuleText(
        Severity.RECORD_ERROR,
        "manifest にある {field} がパッケージ（ZIP）の中にありません（{value}）。レコードを登録しませんでした。",
        "The package (ZIP) has no {field}, although its manifest lists it ({value}). The record was not registered.",
        "manifest.xml の path と ZIP の中身を一致させてください。",
        "Make the paths in manifest.xml equal to the paths of the files in the ZIP.",
        "ResourceSync 1.1, 11.2, 13.2",
        example=(
            "<url><loc>https://library.example.jp/records/12.xml</loc>\n"
            '  <rs:md path="/resources/12.xml"/></url>  (the ZIP has no such file)'
        ),
    ),
    "rs.W001": RuleText(
        Severity.WARNING,
        "ファイルの長さがリストの記載と一致しません（{field}: {value}）。内容は登録しました。",
        "The length of the file differs from the listed length ({field}: {value}). It was registered.",
        "リストの length を、配信しているファイルのバイト数に直してください。",
        "Write the number of bytes that are served into the length attribute of the list.",
        "ResourceSync 1.1, 7",
        example=(
            "<url><loc>https://library.example.jp/records/12.xml</loc>\n"
            '  <rs:md length="100"/></url>  (the file has 4,312 bytes)'
        ),
    ),
    "rs.W002": RuleText(
        Severity.WARNING,
        "リストのハッシュ値 {value} は確かめられません（知らない方式か、桁数が違います）。内容は登録しました。",
        "The listed hash {value} cannot be checked (unknown algorithm or wrong number of digits). The file was registered.",
        "hash は「md5:」「sha-1:」「sha-256:」などの後に16進数で書いてください。",
        "Write hashes in hexadecimal after md5:, sha-1: or sha-256:.",
        "ResourceSync 1.1, 7",
        example=('<url><loc>https://library.example.jp/records/12.xml</loc>\n  <rs:md hash="crc32:8f3a2c11"/></url>'),
    ),
}
