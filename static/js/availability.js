/* Fills in, behind the page of a book, what can be borrowed now: first at the reader's own libraries, then in the order
   of the page. Without this script, each library has a link to the same words. */
"use strict";
(() => {
  const root = document.querySelector("[data-availability-of]");
  if (!root) return;
  const MOST = 10; // libraries in one request
  const WAITS = [1000, 1500, 2500, 4000, 6000]; // milliseconds before the libraries that have not answered are looked up again
  const status = document.querySelector("[data-availability-status]");
  const waiting = new Map([...document.querySelectorAll("[data-availability]")].map((line) => [line.dataset.availability, line]));

  const own = () => {
    try {
      const kept = JSON.parse(localStorage.getItem("libraries") ?? "[]");
      return Array.isArray(kept) ? kept.map((one) => one?.number) : [];
    } catch { return []; }
  };

  const made = (name, className, text) => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const label = (line) => line.dataset.label ?? line.querySelector(".unseen")?.textContent ?? "";
  const fill = (line, answer) => {
    const leads = /^https?:/.test(answer.href); // the link is the word itself: a line of its own would move what is below
    const now = made(leads ? "a" : "span", `now ${/^[a-z_]+$/.test(answer.state) ? answer.state : ""}${leads ? " out" : ""}`, "");
    if (leads) {
      Object.assign(now, { href: answer.href, rel: "noopener noreferrer nofollow" });
      now.setAttribute("aria-label", `${answer.word} – ${root.dataset.link}${line.dataset.label}`);
    }
    const sign = made("span", "", answer.sign);
    sign.setAttribute("aria-hidden", "true");
    now.append(sign, ` ${answer.word}`);
    const parts = [now, ...answer.details.map((text) => made("span", "muted", text))];
    line.replaceChildren(...parts.flatMap((part) => [part, " "]));
  };
  const say = (line, text) => line.replaceChildren(made("span", "muted", text));

  const look = async (lines, round) => {
    const asked = new URLSearchParams([...lines.keys()].map((number) => ["library", number]));
    let answered = { libraries: {}, asking: [...lines.keys()] };
    try {
      const answer = await fetch(`${root.dataset.availabilityOf}?${asked}`, { headers: { Accept: "application/json" } });
      if (answer.ok) answered = await answer.json();
    } catch { /* no network; the next round tries again */ }
    for (const [number, said] of Object.entries(answered.libraries)) fill(lines.get(number), said);
    const left = new Map(answered.asking.filter((number) => lines.has(number)).map((number) => [number, lines.get(number)]));
    if (!left.size || round >= WAITS.length) {
      for (const line of left.values()) say(line, root.dataset.unanswered);
      status.textContent = root.dataset.done;
    } else setTimeout(look, WAITS[round], left, round + 1);
  };

  const begin = () => {
    const mine = own();
    const rank = (number) => (mine.includes(number) ? mine.indexOf(number) : mine.length);
    const next = [...waiting].filter(([, line]) => line.checkVisibility());
    const lines = new Map(next.sort(([one], [other]) => rank(one) - rank(other)).slice(0, MOST));
    if (!lines.size) return;
    for (const [number, line] of lines) {
      waiting.delete(number);
      line.dataset.label = label(line);
      say(line, root.dataset.asking);
    }
    look(lines, 0);
  };
  begin();
  document.addEventListener("toggle", begin, true); // further libraries were unfolded
})();
