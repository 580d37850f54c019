/* Loads the values of a facet when a reader opens it, from the page of all its values. If that fails, the link to that
   page remains. */
"use strict";
(() => {
  const AT_ONCE = 15; // values that are shown; the others are on the page of all values

  const load = async (facet) => {
    const address = facet.dataset.values;
    if (!address) return; // already loading
    const place = facet.querySelector(".all");
    delete facet.dataset.values; // prevents a second request
    facet.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const values = [...page.querySelectorAll("[data-all-values] > li")];
      const none = page.querySelector("[data-no-values]");
      const list = document.createElement("ul");
      list.className = "plain";
      list.setAttribute("aria-label", facet.querySelector("h3").textContent);
      list.append(...values.slice(0, AT_ONCE));
      if (values.length) place.before(list);
      else if (none) place.before(none);
      place.hidden = values.length <= AT_ONCE;
      document.dispatchEvent(new Event("values"));
    } catch {
      facet.dataset.values = address; // a retry when it is opened again
    }
    facet.removeAttribute("aria-busy");
  };

  let before = Promise.resolve(); // one request at a time, because the server allows few concurrent searches
  const fill = (facet) => { before = before.then(() => load(facet)); };

  // Captured, because "toggle" does not bubble.
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.dataset.values) fill(event.target);
  }, true);
})();
