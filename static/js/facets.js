/* The form of the facets: loads the values of a facet when a reader opens it, from the page of all its values (if that
   fails, the link to that page remains); keeps only one of nested values ticked; and draws the years as a range. */
"use strict";
(() => {
  const AT_ONCE = 15; // values that are shown; the others are on the page of all values
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

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
      const values = all("[data-all-values] > li", page);
      const none = page.querySelector("[data-no-values]");
      const list = document.createElement("ul");
      list.className = "plain";
      list.setAttribute("aria-label", facet.querySelector("h3").textContent);
      list.append(...values.slice(0, AT_ONCE));
      if (values.length) place.before(list);
      else if (none) place.before(none);
      if (values.length) for (const kept of all("input[type=hidden]", facet)) kept.remove(); // the boxes stand for them
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

  /* Classes and regions are nested: 91 is in 9. */

  const NESTED = ["ndc", "region"];
  document.addEventListener("change", ({ target }) => {
    if (!target.checked || !NESTED.includes(target.name) || !target.closest(".narrowing")) return;
    for (const other of all(`input[name=${target.name}]:checked`, target.form)) {
      const nested = other.value.startsWith(target.value) || target.value.startsWith(other.value);
      if (other !== target && nested) other.checked = false;
    }
  });

  /* The range of years: two sliders below the bars, which move from bar to bar and write into the fields. */

  const range = document.querySelector(".range");
  if (!range) return;
  const bars = all(".histogram a");
  range.style.setProperty("--part", bars.length / range.dataset.places);
  const years = (bar) => [Number(bar.dataset.first), Number(bar.dataset.last)];
  const [from, until] = ["from", "until"].map((end) => range.querySelector(`[data-end=${end}]`));
  const [first, last] = ["#y-from", "#y-until"].map((field) => document.querySelector(field));
  // Of the years of one decade the ends are its years; of all decades they are no limit.
  const [least, most] = years(bars[0])[0] === years(bars[0])[1] ? [years(bars[0])[0], years(bars.at(-1))[1]] : ["", ""];

  const show = () => {
    const [start, end] = [Number(from.value), Number(until.value)];
    bars.forEach((bar, place) => bar.classList.toggle("outside", place < start || place >= end));
    from.setAttribute("aria-valuetext", first.value || until.dataset.all);
    until.setAttribute("aria-valuetext", last.value || until.dataset.all);
  };
  const write = ({ target }) => {
    if (target === from) from.value = Math.min(Number(from.value), Number(until.value) - 1, bars.length - 1);
    else until.value = Math.min(Math.max(Number(until.value), Number(from.value) + 1), bars.length);
    const [start, end] = [Number(from.value), Number(until.value)];
    first.value = start ? years(bars[start])[0] : least;
    last.value = end < bars.length ? years(bars[end - 1])[1] : most;
    show();
  };
  const read = () => {
    const start = bars.findIndex((bar) => years(bar)[1] >= Number(first.value));
    const end = bars.findLastIndex((bar) => years(bar)[0] <= Number(last.value || 9999));
    from.value = first.value && start >= 0 ? start : 0;
    until.value = Math.max(end + 1, Number(from.value) + 1);
    show();
  };
  range.addEventListener("input", write);
  for (const field of [first, last]) field.addEventListener("input", read);
  read();
})();
