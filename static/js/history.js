/* The reader's latest searches, stored in this browser only: results pages note the search, the page of the history
   lists, clears and switches it off. */
(() => {
  "use strict";
  const KEPT = "searches", OFF = "searches-off", MOST = 50;
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => typeof one?.search === "string" && typeof one?.words === "string") : [];
    } catch { return []; }
  };
  const write = (kept) => {
    try { kept.length ? localStorage.setItem(KEPT, JSON.stringify(kept)) : localStorage.removeItem(KEPT); } catch { /* not stored */ }
  };
  const isOff = () => { try { return localStorage.getItem(OFF) === "1"; } catch { return true; } };
  const switchOff = (off) => { try { off ? localStorage.setItem(OFF, "1") : localStorage.removeItem(OFF); } catch { /* not stored */ } };

  const note = (place) => {
    if (isOff() || !place.dataset.search) return;
    const { search, words } = place.dataset;
    write([{ search, words, at: Date.now() }, ...read().filter((one) => one.search !== search)].slice(0, MOST));
  };

  const show = (place) => {
    const kept = read();
    const rows = kept.map(({ search, words, at }) => {
      const row = document.createElement("li"), link = document.createElement("a");
      const time = document.createElement("time"), button = document.createElement("button");
      const moment = new Date(Number(at) || 0);
      link.href = place.dataset.searches + (search.startsWith("?") ? search : "");
      link.textContent = words || place.dataset.all;
      time.dateTime = moment.toISOString();
      time.textContent = moment.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
      button.type = "button";
      button.className = "quiet";
      button.textContent = place.dataset.forget;
      button.setAttribute("aria-label", `${place.dataset.forget}: ${link.textContent}`);
      button.addEventListener("click", () => { write(read().filter((one) => one.search !== search)); show(place); });
      row.append(link, time, button);
      return row;
    });
    place.querySelector("[data-searches-list]").replaceChildren(...rows);
    place.querySelector("[data-searches-none]").hidden = kept.length > 0;
    place.querySelector("[data-searches-clear]").hidden = !kept.length;
    place.querySelector("[data-searches-on]").checked = !isOff();
    place.hidden = false;
  };

  const searched = document.querySelector("[data-search]");
  if (searched) note(searched);
  const page = document.querySelector("[data-searches]");
  if (page) {
    page.querySelector("[data-searches-clear]").addEventListener("click", () => { write([]); show(page); });
    page.querySelector("[data-searches-on]").addEventListener("change", (event) => {
      switchOff(!event.target.checked);
      if (!event.target.checked) write([]);
      show(page);
    });
    show(page);
  }
})();
