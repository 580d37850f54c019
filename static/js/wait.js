/* Polls the state of a task that the page waits for, and reloads the page when the task is done. */
"use strict";
(() => {
  const place = document.querySelector("[data-wait-for]");
  if (!place) return;
  const look = async (pause) => {
    let state = place.dataset.state ?? "";
    try {
      const answer = await fetch(place.dataset.waitFor, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        const status = await answer.json();
        if (status.over || (state && status.state !== state)) return location.reload();
        place.dataset.state = status.state;
      }
    } catch { /* no network; the next round tries again */ }
    setTimeout(look, pause, Math.min(pause * 1.2, 10000));
  };
  setTimeout(look, 700, 1000);
})();
