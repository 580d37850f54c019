/* Updates the page of a running harvest. Without this script the page has a link to reload it. */
(() => {
  "use strict";
  const place = document.querySelector("[data-progress]");
  if (!place) return;
  const OFTEN = 2000;
  const SELDOM = 15000; // while nothing changes, or the page is hidden
  const begun = place.dataset.state;
  const bar = place.querySelector("[data-share]");
  const write = (selector, text, root = document) => {
    const found = root.querySelector(selector);
    if (found && found.textContent !== text) found.textContent = text;
  };

  const show = (status) => {
    if (status.share === null) bar.removeAttribute("value");
    else bar.value = status.share;
    write("[data-figures]", status.figures, place);
    write("[data-doing]", status.doing, place);
    for (const [name, count] of Object.entries(status.counts)) write(`[data-count="${name}"]`, count);
  };

  const typing = () => document.activeElement?.matches("input, textarea") && document.activeElement.value;

  const look = async () => {
    let pause = SELDOM;
    try {
      const answer = await fetch(place.dataset.progress, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) return; // logged out; the page says so when it is reloaded
      const status = await answer.json();
      show(status);
      if (status.state !== begun && !typing()) { location.reload(); return; }
      if (/^(running|queued)/.test(status.state) && !document.hidden) pause = OFTEN;
    } catch { /* no network; the next round tries again */ }
    setTimeout(look, pause);
  };
  setTimeout(look, OFTEN);
})();
