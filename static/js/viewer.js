/* Waits for images that the site is still fetching, and turns pages by keys. Without this script links do the same. */
"use strict";
(() => {
  const WAITS = [800, 1200, 2000, 3000, 5000, 8000, 12000]; // milliseconds before an image is looked for again
  const status = document.querySelector("[data-image-status]");
  const say = (text) => { if (status) status.textContent = text; };

  const look = async (image, address, round) => {
    let state = "asking";
    try {
      const answer = await fetch(address);
      if (!answer.ok && answer.status !== 429) state = "missing"; // 429: this network had very many images fetched
      else if (answer.headers.get("Content-Type")?.startsWith("image/jpeg")) state = "there";
    } catch { /* no network; the next round tries again */ }
    if (state === "there") {
      if (round) image.src = `${address}?again=${round}`; // another address, because the browser keeps the empty picture
      say("");
    } else if (state === "missing" || round >= WAITS.length) say(status?.dataset.missing ?? "");
    else {
      say(status?.dataset.asking ?? "");
      setTimeout(look, WAITS[round], image, address, round + 1);
    }
  };
  const begin = (image) => look(image, image.getAttribute("src"), 0);
  if (status) begin(document.querySelector(".canvas img"));
  else {
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) { seen.unobserve(target); begin(target); }
    });
    for (const image of document.querySelectorAll(".sheet-of-images img")) seen.observe(image);
  }

  const coming = document.querySelector("[data-coming]");
  if (coming) setTimeout(() => location.reload(), 2000);

  const keys = { ArrowLeft: "[rel=prev]", ArrowRight: "[rel=next]", "+": "[data-larger]", "-": "[data-smaller]" };
  document.addEventListener("keydown", (event) => {
    const panned = event.target.closest(".canvas:not(.level-1)") && event.key.startsWith("Arrow"); // the arrows scroll it
    if (event.altKey || event.ctrlKey || event.metaKey || panned || event.target.matches("input, textarea, select")) return;
    document.querySelector(`main ${keys[event.key] ?? "[data-no-key]"}`)?.click();
  });
})();
