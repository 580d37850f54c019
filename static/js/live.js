/* The live search: puts the answer of each catalogue into its part of the page as it arrives. The page of the live search
   is requested again and its parts are taken over, so that it is the same page without this script. On a results page,
   where the operator wants it, the parts are loaded below our own hits once these are shown. */
"use strict";
(() => {
  const STEPS = [300, 400, 500, 700, 800, 600]; // milliseconds between two requests; then the time is over
  const RETRIES = 3; // of the last request, if the server was busy
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

  const request = async (address) => {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("[data-live]");
    if (!found) throw new Error("no parts");
    return found;
  };
  const asking = (place) => all("[data-live-state=asking]", place).length;
  const follow = (part) => part.querySelector(".live-follow a");

  const take = (place, found) => {
    for (const fresh of all("[data-live-part]", found)) {
      const own = all("[data-live-part]", place).find((part) => part.dataset.livePart === fresh.dataset.livePart);
      if (!own || own.dataset.liveState !== "asking" || fresh.dataset.liveState === "asking") continue;
      const focused = own.contains(document.activeElement);
      own.replaceWith(fresh);
      if (focused) follow(fresh)?.focus();
      markOwn(fresh);
    }
    const [status, news] = [place, found].map((root) => root.querySelector("[data-live-status]"));
    status.replaceChildren(...news.childNodes);
    status.querySelector("[data-live-again]")?.remove();
  };

  /* A hit that is a book of ours is one more holder of it, also among our own hits on this page. */
  const markOwn = (part) => {
    const heading = part.querySelector("h2");
    for (const hit of all("[data-live-book]", part)) {
      const number = hit.dataset.liveBook;
      const title = all(".hit h3 a").find((link) => link.pathname.endsWith(`/books/${number}`));
      const list = title?.closest(".hit").querySelector(".held ul");
      if (!list || list.querySelector(`[data-live-holder="${part.dataset.livePart}"]`)) continue;
      const item = document.createElement("li");
      const link = document.createElement("a");
      item.dataset.liveHolder = part.dataset.livePart;
      link.textContent = heading.textContent;
      link.lang = heading.lang;
      link.href = `#${part.id}`;
      item.append(link);
      list.append(item);
    }
  };

  const run = async (place) => {
    const began = performance.now();
    const wait = Number(place.dataset.liveWait);
    const next = (waited) => {
      const done = all("[data-live-part]", place).filter((part) => part.dataset.liveState !== "asking");
      return `${place.dataset.live}&only=parts&waited=${Math.round(waited)}${done.map((part) => `&have=${part.dataset.livePart}`).join("")}`;
    };
    place.querySelector("[data-live-again]")?.remove();
    for (const part of all("[data-live-part]", place)) markOwn(part);
    for (const step of STEPS) {
      if (!asking(place)) return;
      await pause(Math.min(step, wait - (performance.now() - began)));
      if (performance.now() - began >= wait) break;
      try { take(place, await request(next(performance.now() - began))); } catch { /* busy, or no network; the next round tries again */ }
    }
    for (let retry = 0; asking(place) && retry < RETRIES; retry += 1) {
      try { take(place, await request(next(wait))); } catch { await pause(1000); }
    }
  };

  const load = async (section) => {
    try {
      const found = await request(section.dataset.liveLoad);
      section.append(found);
      section.querySelector("[data-live-offer]")?.remove();
      section.hidden = false;
      await run(found);
    } catch { /* the link to the page of the live search remains */ }
  };

  const place = document.querySelector("[data-live]");
  const section = document.querySelector("[data-live-load]");
  if (place) run(place);
  else if (section) addEventListener("load", () => load(section));
})();
