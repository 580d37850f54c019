/* A page that waits for something to end: asks now and then, and shows the outcome when it is there. */
"use strict";
(() => {
  const place = document.querySelector("[data-wait-for]");
  if (!place) return;
  const look = async (pause) => {
    let state = place.dataset.state ?? "";
    try {
      const answer = await fetch(place.dataset.waitFor, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        const told = await answer.json();
        if (told.over || (state && told.state !== state)) return location.reload();
        place.dataset.state = told.state;
      }
    } catch { /* the network is away for a moment: asked again */ }
    setTimeout(look, pause, Math.min(pause * 1.2, 10000));
  };
  setTimeout(look, 700, 1000);
})();
