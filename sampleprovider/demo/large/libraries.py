"""The twelve libraries of the sample union catalogue, and which of them have a publication. Pure.

Their codes look like ISIL, but no such libraries exist.
"""

from dataclasses import dataclass

from sampleprovider.demo.large.facts import Publication


@dataclass(frozen=True, slots=True)
class Library:
    """A library. code: made up, in the form of an ISIL."""

    code: str
    name: str
    reading: str


LIBRARIES = tuple(
    Library(f"JP-MIHON{number:02d}", f"見本{name}", f"ミホン {reading}")
    for number, (name, reading) in enumerate(
        (
            ("中央図書館", "チュウオウ トショカン"),
            ("東図書館", "ヒガシ トショカン"),
            ("西図書館", "ニシ トショカン"),
            ("南図書館", "ミナミ トショカン"),
            ("北図書館", "キタ トショカン"),
            ("駅前図書館", "エキマエ トショカン"),
            ("港図書館", "ミナト トショカン"),
            ("山手図書館", "ヤマテ トショカン"),
            ("川口図書館", "カワグチ トショカン"),
            ("こども図書館", "コドモ トショカン"),
            ("郷土資料館図書室", "キョウド シリョウカン トショシツ"),
            ("女子大学図書館", "ジョシ ダイガク トショカン"),
        ),
        1,
    )
)


def holders(publication: Publication) -> tuple[Library, ...]:
    """Return the libraries that have the publication: all of them a popular one, up to five any other."""
    if publication.popular:
        return LIBRARIES
    wanted = 1 + publication.draw("holders", 5)
    return tuple(sorted(LIBRARIES, key=lambda library: publication.draw(library.code, 1_000_000))[:wanted])
