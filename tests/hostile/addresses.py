"""Tables of ways to write, resolve and redirect to an address of the internal network."""

import ipaddress
from collections.abc import Iterator

INNER_V4 = (
    "127.0.0.1",
    "10.0.0.1",
    "172.16.5.4",
    "192.168.1.1",
    "169.254.169.254",  # the metadata service of most clouds
    "100.100.100.200",  # the metadata service of Alibaba Cloud
    "168.63.129.16",  # the virtual IP address of Azure, which looks public
    "0.0.0.0",
)
OTHER_V4 = (
    "127.255.255.254", "10.255.255.255", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "198.18.0.1",
    "198.19.255.255", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "100.64.0.1", "100.127.255.255", "0.1.2.3", "169.254.170.2", "192.168.255.255",
)  # fmt: skip
INNER_V6 = (
    "::", "::1", "0:0:0:0:0:0:0:1", "::ffff:0:0", "fe80::1", "fe80::a9fe:a9fe", "fc00::1", "fd00::1", "fd00:ec2::254",
    "fd20:ce::254", "fec0::1", "ff01::1", "ff02::1", "ff0e::1", "2001:db8::1", "3fff::1", "5f00::1", "100::1",
    "2001:10::1", "2001:2::1", "2001::1", "4000::1", "::8.8.8.8", "2001:0:7f00:1::", "64:ff9b:1::808:808",
)  # fmt: skip


def spellings(text: str) -> Iterator[str]:
    """Yield notations that browsers, libraries and name servers may read as this IPv4 address."""
    address = ipaddress.IPv4Address(text)
    a, b, c, d = address.packed
    number = int(address)
    yield text
    yield str(number)
    yield hex(number)
    yield f"0{number:o}"
    yield f"{a:#x}.{b:#x}.{c:#x}.{d:#x}"
    yield f"0{a:o}.0{b:o}.0{c:o}.0{d:o}"
    yield f"{a}.{number & 0xFFFFFF}"
    yield f"{a}.{b}.{c << 8 | d}"
    yield f"{a:#x}.{b}.0{c:o}.{d}"
    yield f"{text}."
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    yield f"[::ffff:{text}]"
    yield f"[::ffff:{high}:{low}]"
    yield f"[0:0:0:0:0:ffff:{high}:{low}]"
    yield f"[::{text}]"
    yield f"[::ffff:0:{text}]"
    yield f"[64:ff9b::{text}]"
    yield f"[64:ff9b::{high}:{low}]"
    yield f"[64:ff9b:1::{text}]"
    yield f"[2002:{high}:{low}::1]"
    yield f"[2001:0:4136:e378:8000:63bf:{number >> 16 ^ 0xFFFF:x}:{number & 0xFFFF ^ 0xFFFF:x}]"
    yield f"[fe80::5efe:{text}]"


FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
CIRCLED = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")
MATHEMATICAL = str.maketrans("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
UNICODE = [
    text.translate(digits).replace(".", dot)
    for text in ("127.0.0.1", "169.254.169.254")
    for digits in ({}, FULL_WIDTH, CIRCLED, MATHEMATICAL, ARABIC)
    for dot in (".", "。", "．", "｡")
] + ["ｌｏｃａｌｈｏｓｔ", "ⓛocalhost", "loc\u00adalhost", "local\u200bhost", "LOCALHOST", "localhost。"]

NAMES = {
    "localhost": ["127.0.0.1", "::1"],
    "localhost.": ["127.0.0.1"],
    "localhost.localdomain": ["127.0.0.1"],
    "ip6-localhost": ["::1"],
    "app.localhost": ["127.0.0.1"],
    "metadata": ["169.254.169.254"],
    "metadata.google.internal": ["169.254.169.254"],
    "instance-data": ["169.254.169.254"],
    "kubernetes.default.svc": ["10.96.0.1"],
    "redis": ["172.18.0.2"],
    "127.0.0.1.nip.example": ["127.0.0.1"],
    "inner.example": ["10.0.0.5"],
    "six.example": ["fd00::5"],
    "mapped.example": ["::ffff:10.0.0.1"],
    "nat64.example": ["64:ff9b::a00:1"],
    "sixtofour.example": ["2002:a00:1::1"],
    "unspecified.example": ["0.0.0.0"],
    "multicast.example": ["224.0.0.251"],
    "cloud.example": ["168.63.129.16"],
    "public-then-inner.example": ["93.184.216.34", "127.0.0.1"],
    "inner-then-public.example": ["127.0.0.1", "93.184.216.34"],
    "public-then-six.example": ["93.184.216.34", "::1"],
    "last-of-many.example": [*(f"93.184.216.{last}" for last in range(1, 40)), "192.168.0.1"],
    "public-six-then-mapped.example": ["2606:4700::1111", "::ffff:127.0.0.1"],
}
PUBLIC = "93.184.216.34"
TRICKS = [
    f"http://{PUBLIC}@127.0.0.1/",
    "http://user@127.0.0.1/",
    "http://user:password@127.0.0.1/",
    f"http://127.0.0.1\\@{PUBLIC}/",
    f"http://{PUBLIC}\\@127.0.0.1/",
    f"http://127.0.0.1#@{PUBLIC}/",
    f"http://127.0.0.1?@{PUBLIC}/",
    f"http://127.0.0.1;@{PUBLIC}/",
    f"http://{PUBLIC}:80@127.0.0.1:22/",
    f"http://127.0.0.1:22@{PUBLIC}:80/",
    f"http://@{PUBLIC}@127.0.0.1/",
    "http://127.0.0.1%2f@93.184.216.34/",
    "http://127.0.0.1%00.example/",
    "http://127.0.0.1\t.example/",
    "http://127.0.0.1\n.example/",
    "http://127.0.0.1%0d%0aHost:%20inner/",
    "http://[::ffff:127.0.0.1%25eth0]/",
    "http://[fe80::1%25lo]/",
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:///127.0.0.1/",
    "http:////127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    " http://127.0.0.1/",
    "\x00http://127.0.0.1/",
    "http://127.0.0.1/../@93.184.216.34",
]
SCHEMES = [
    "file:///etc/passwd", "file://localhost/etc/passwd", "FILE:///etc/passwd", "ftp://127.0.0.1/", "sftp://127.0.0.1/",
    "tftp://127.0.0.1/", "gopher://127.0.0.1:6379/_FLUSHALL", "dict://127.0.0.1:6379/", "ldap://127.0.0.1/",
    "jar:http://127.0.0.1!/", "netdoc:///etc/passwd", "javascript:alert(1)", "data:text/xml,<a/>", "blob:http://a/1",
    "unix:///run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/", "ws://127.0.0.1/", "//127.0.0.1/", "127.0.0.1",
    "", "http://", "https://", "http://:80/", "view-source:http://127.0.0.1/", "phar://x", "expect://id",
]  # fmt: skip
PORTS = [1, 21, 22, 23, 25, 53, 110, 143, 445, 1433, 2375, 3306, 5432, 5984, 6379, 8000, 8081, 9200, 11211, 27017]
REDIRECT_TARGETS = [
    "http://127.0.0.1/", "http://127.0.0.1:22/", "http://2130706433/", "http://0x7f.1/", "http://0/", "//127.0.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://192.168.0.1/",
    "https://10.0.0.1/", "http://localhost/", "http://metadata.google.internal/", "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_", "http://a@127.0.0.1/", "http://168.63.129.16/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://１２７.０.０.１/", "http://93.184.216.34:22/",
]  # fmt: skip
