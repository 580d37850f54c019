"""Sends requests with wrk, which uses so little of the processors that the server keeps them."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.load.client import HOST

# Read by wrk: the addresses one after the other, the answers counted by status, and the figures as JSON in the end.
SCRIPT = """
local number, counts, bare = 0, {}, 0
local headers = {["Host"] = "%(host)s", ["Accept"] = "text/html", ["Accept-Language"] = "ja"}
function setup(thread) threads = {thread} end
function request()
  number = number %% #paths + 1
  return wrk.format("GET", paths[number], headers)
end
function response(status, headers)
  counts[status] = (counts[status] or 0) + 1
  statuses = ""
  for code, count in pairs(counts) do statuses = statuses .. string.format('"%%d": %%d, ', code, count) end
  if status == 503 and not (headers["Retry-After"] or headers["retry-after"]) then bare = bare + 1 end
  without_wait = bare
end
function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  local statuses, bare = threads[1]:get("statuses") or "", threads[1]:get("without_wait") or 0
  io.write(string.format('{"counts": {%%s"0": %%d}, "p50": %%f, "p95": %%f, "worst": %%f, "without_wait": %%d}\\n',
    statuses, failed, latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency.max / 1000, bare))
end
"""


@dataclass(frozen=True)
class Sent:
    """Requests by status (0: no answer), milliseconds of all answers, and refusals without Retry-After."""

    counts: dict[str, int]
    p50: float
    p95: float
    worst: float
    without_wait: int

    def line(self, name: str) -> str:
        counts = "; ".join(f"{status}: {count}" for status, count in sorted(self.counts.items()) if count)
        return f"{name:28} {counts} (p50 {self.p50:.0f}, p95 {self.p95:.0f}, max {self.worst:.0f} ms)"


async def ask(port: int, paths: Sequence[str], connections: int, seconds: float) -> Sent:
    """Ask for the paths one by one on so many connections, each again as soon as it has its answer."""
    program = shutil.which("wrk")
    if program is None:
        raise SystemExit("wrk is not installed here: apt-get install wrk")
    with TemporaryDirectory() as folder:
        script = Path(folder) / "script.lua"
        script.write_text(f"paths = {{{', '.join(map(json.dumps, paths))}}}\n{SCRIPT % {'host': HOST}}")
        options = ["-t1", f"-c{connections}", f"-d{max(round(seconds), 1)}s", "--timeout", "30s", "-s", str(script)]
        process = await asyncio.create_subprocess_exec(
            program, *options, f"http://{HOST}:{port}/", stdout=asyncio.subprocess.PIPE
        )
        output, _errors = await process.communicate()
    return Sent(**json.loads(output.splitlines()[-1]))
