/* The libraries that a reader has chosen as their own. They are stored in this browser only; every page works without
   them. The elements it works on are hidden until it runs. */
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const own = document.querySelector("[data-own]"); // has the words, the limit and the address
  if (!own) return;
  const NUMBER = /^L[1-9][0-9]*$/;

  /* [{number, name}], in the order in which they were chosen. Read again every time, as other tabs may change it. */
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem("libraries") ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => NUMBER.test(one?.number) && typeof one.name === "string") : [];
    } catch { return []; }
  };
  const write = (kept) => {
    try { localStorage.setItem("libraries", JSON.stringify(kept)); return true; } catch { return false; }
  };
  const say = (text) => {
    const status = document.querySelector("[data-status]");
    if (status) status.textContent = text;
  };

  const toggle = ({ number, name }) => {
    const kept = read();
    const has = kept.some((one) => one.number === number);
    if (!has && kept.length >= Number(own.dataset.most)) return say(own.dataset.full);
    const done = write(has ? kept.filter((one) => one.number !== number) : [...kept, { number, name }]);
    say(done ? (has ? own.dataset.removed : own.dataset.added) : own.dataset.off);
    show();
  };

  /* The buttons of libraries, the own ones first in their list */

  const showButtons = (kept) => {
    const numbers = kept.map((one) => one.number);
    for (const button of all("[data-library]")) {
      button.hidden = false;
      button.dataset.kept = String(numbers.includes(button.dataset.library));
    }
    for (const list of new Set(all("[data-library]").map((button) => button.closest("ul")))) {
      if (list && !list.matches(".shelves")) list.prepend(...all(":scope > li:has([data-kept=true])", list));
    }
  };

  /* The switch "only my libraries", and the list behind it */

  const check = own.querySelector("input");
  const wanted = () => new URLSearchParams(location.search).getAll("library").sort().join();
  const showSwitch = (kept) => {
    own.hidden = !kept.length;
    check.checked = kept.length > 0 && wanted() === kept.map((one) => one.number).sort().join();
    own.querySelector("[data-own-list]").replaceChildren(...kept.map(({ number, name }) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const label = document.createElement("span");
      label.textContent = name;
      button.type = "button";
      button.className = "quiet";
      button.dataset.forget = number;
      button.textContent = own.dataset.forget;
      button.setAttribute("aria-label", `${own.dataset.forget}: ${name}`);
      item.append(label, button);
      return item;
    }));
  };
  const turn = () => {
    if (!document.querySelector(".conditions")) return; // no results yet: the form sends the libraries
    const address = new URL(location.href);
    address.searchParams.delete("library");
    address.searchParams.delete("page");
    if (check.checked) for (const { number } of read()) address.searchParams.append("library", number);
    location.assign(address);
  };
  own.closest("form").addEventListener("formdata", ({ formData }) => {
    if (check.checked && !own.hidden) for (const { number } of read()) formData.append("library", number);
  });

  /* Where the own libraries hold a book: first in its list of holders */

  const places = () => all("[data-save]").map((button) => {
    const hit = button.closest(".hit");
    const place = hit ? hit.querySelector(".held") : document.querySelector("#holdings")?.closest("section");
    return { book: button.dataset.save, place, before: hit ? place?.firstChild : place?.querySelector("h2")?.nextSibling };
  }).filter(({ book, place }) => place && /^M[1-9][0-9]*$/.test(book));
  let round = 0; // of asking: only the last answer is shown
  const showHeld = async (kept) => {
    const mine = ++round;
    asks = 0;
    const volumes = all("[data-volume]");
    for (const line of all(".own-held")) line.remove();
    for (const volume of volumes) mark(volume, false);
    const found = places();
    if (!kept.length || !found.length) return;
    const books = new Set([...found.map(({ book }) => book), ...volumes.map((volume) => volume.dataset.volume)]);
    const asked = new URLSearchParams([...[...books].map((book) => ["book", book]), ...kept.map((one) => ["library", one.number])]);
    try {
      const answer = await fetch(`${own.dataset.own}?${asked}`);
      if (!answer.ok) return;
      const held = await answer.json();
      if (mine !== round) return;
      for (const volume of volumes) mark(volume, volume.dataset.volume in held);
      for (const { book, place, before } of found) if (held[book]) place.insertBefore(line(held[book]), before);
      for (const { book, place } of found) if (held[book] && place.matches("section")) await addOwn(kept, held[book].length);
    } catch { /* the page is complete without it */ }
  };
  const mark = (volume, isHeld) => {
    volume.classList.toggle("own", isHeld);
    volume.title = isHeld ? own.dataset.label : "";
  };
  const line = (libraries) => {
    const made = document.createElement("p");
    made.className = "own-held";
    const label = document.createElement("b");
    label.textContent = own.dataset.label;
    made.append(label);
    for (const { name, link, availability } of libraries) {
      const one = document.createElement(/^https?:/.test(link) ? "a" : "span");
      if (one.localName === "a") Object.assign(one, { href: link, rel: "noopener noreferrer nofollow", className: "out" });
      one.textContent = name;
      made.append(" ", one);
      if (availability && asks < MOST_ASKS && !document.querySelector("[data-availability-of]")) sayIfAvailable(one, availability, 0);
    }
    return made;
  };

  /* Whether a book can be borrowed at an own library now, where that library's system says so: on results. The page of a
     book says more (availability.js). */

  const MOST_ASKS = 20; // of a page
  const WAITS = [1500, 3000, 6000]; // milliseconds before a library that has not answered is looked up again
  let asks = 0;
  const sayIfAvailable = async (after, address, wait) => {
    if (!wait) asks += 1;
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const { libraries, asking } = await answer.json();
      const said = Object.values(libraries).find(({ state }) => state === "available");
      if (said) {
        const now = document.createElement("span");
        now.className = "now available";
        now.textContent = said.word;
        now.title = said.details.join(" ");
        after.after(" ", now);
      } else if (asking.length && wait < WAITS.length) setTimeout(sayIfAvailable, WAITS[wait], after, address, wait + 1);
    } catch { /* the page is complete without it */ }
  };

  /* Further libraries of a book: the next part of their list, added below those that are shown */

  const pageAt = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    return new DOMParser().parseFromString(await answer.text(), "text/html"); // our own page
  };
  const libraryOf = (shelf) => shelf.querySelector("[data-library]")?.dataset.library;
  const newShelves = (list, page) => {
    const arriving = new Set([...page.querySelectorAll("ul.shelves > li")].map(libraryOf));
    for (const brief of all(":scope > li[data-added]", list)) if (arriving.has(brief.dataset.added)) brief.remove(); // by near.js
    const shown = new Set(all(":scope > li", list).map(libraryOf));
    return [...page.querySelectorAll("ul.shelves > li")].filter((shelf) => !shown.has(libraryOf(shelf)) || !libraryOf(shelf));
  };
  /* Of very many libraries the page has only the first: the own ones are added, with their copies. */
  const addOwn = async (kept, count) => {
    const link = document.querySelector("a[data-total]");
    const list = link?.closest("section").querySelector("ul.shelves");
    if (!list) return;
    const shown = new Set(all(":scope > li:not([data-added])", list).map(libraryOf));
    const missing = kept.filter(({ number }) => !shown.has(number));
    if (kept.length - missing.length >= count) return; // all that hold it are there
    const page = await pageAt(`${link.pathname}?${new URLSearchParams(missing.map(({ number }) => ["library", number]))}`);
    const added = newShelves(list, page);
    if (!added.length) return;
    list.prepend(...added);
    countFurther();
    showButtons(kept);
    document.dispatchEvent(new Event("own"));
  };
  const countFurther = () => {
    const link = document.querySelector("a[data-total]");
    if (!link) return;
    const left = Number(link.dataset.total) - all("ul.shelves > li", link.closest("section")).length;
    if (left > 0) link.textContent = link.textContent.replace(/[0-9][0-9,]*/, left.toLocaleString("en"));
    else link.remove();
  };
  const addFurther = async (link) => {
    const list = link.closest("section").querySelector("ul.shelves");
    link.setAttribute("aria-disabled", "true");
    try {
      const page = await pageAt(link.href);
      const added = newShelves(list, page);
      list.append(...added);
      const next = page.querySelector("[data-next]");
      if (next) link.href = new URL(next.getAttribute("href"), link.href).href;
      link.removeAttribute("aria-disabled");
      countFurther();
      added[0]?.setAttribute("tabindex", "-1");
      added[0]?.focus({ preventScroll: true });
      show();
    } catch { location.assign(link.href); }
  };

  const show = () => {
    const kept = read();
    showButtons(kept);
    showSwitch(kept);
    showHeld(kept);
    document.dispatchEvent(new Event("own")); // near.js puts their holdings first
  };
  document.addEventListener("click", (event) => {
    const further = event.target.closest("a[data-total]");
    if (further && !(event.ctrlKey || event.metaKey || event.shiftKey || event.button)) {
      event.preventDefault();
      if (!further.hasAttribute("aria-disabled")) addFurther(further);
    }
    const button = event.target.closest("button");
    if (button?.dataset.library) toggle({ number: button.dataset.library, name: button.dataset.name });
    if (button?.dataset.forget) toggle({ number: button.dataset.forget, name: "" });
  });
  check.addEventListener("change", turn);
  document.addEventListener("shelves", () => { countFurther(); show(); }); // some were added
  document.addEventListener("values", () => showButtons(read())); // a facet was filled
  window.addEventListener("storage", show);
  window.addEventListener("pageshow", (event) => { if (event.persisted) show(); });
  show();
})();
