/* Facets that are counted when somebody opens them: their values come from the page that their link leads to.
   Where that fails, the link is still there. */
"use strict";
(() => {
  const AT_ONCE = 15; // of the values; the others stand on that page

  const load = async (facet) => {
    const address = facet.dataset.values;
    if (!address) return; // opened twice while it waited
    const place = facet.querySelector(".all");
    delete facet.dataset.values; // asked for once
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
    } catch {
      facet.dataset.values = address; // opening it again tries again
    }
    facet.removeAttribute("aria-busy");
  };

  let before = Promise.resolve(); // one after the other: the server has room for few searches at a time
  const fill = (facet) => { before = before.then(() => load(facet)); };

  // "toggle" does not bubble
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.dataset.values) fill(event.target);
  }, true);
})();
