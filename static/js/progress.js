/* The page of a harvest that is not finished keeps itself up to date. Without this script it has a link to look again. */
(() => {
  "use strict";
  const place = document.querySelector("[data-progress]");
  if (!place) return;
  const OFTEN = 2000;
  const SELDOM = 15000; // while nothing moves, or nobody looks
  const begun = place.dataset.state;
  const bar = place.querySelector("[data-share]");
  const write = (selector, text, root = document) => {
    const found = root.querySelector(selector);
    if (found && found.textContent !== text) found.textContent = text;
  };

  const show = (told) => {
    if (told.share === null) bar.removeAttribute("value");
    else bar.value = told.share;
    write("[data-figures]", told.figures, place);
    write("[data-doing]", told.doing, place);
    for (const [name, count] of Object.entries(told.counts)) write(`[data-count="${name}"]`, count);
  };

  const typing = () => document.activeElement?.matches("input, textarea") && document.activeElement.value;

  const look = async () => {
    let pause = SELDOM;
    try {
      const answer = await fetch(place.dataset.progress, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) return; // logged out: the page says so when it is asked for
      const told = await answer.json();
      show(told);
      if (told.state !== begun && !typing()) { location.reload(); return; }
      if (/^(running|queued)/.test(told.state) && !document.hidden) pause = OFTEN;
    } catch { /* the network is away for a moment */ }
    setTimeout(look, pause);
  };
  setTimeout(look, OFTEN);
})();
