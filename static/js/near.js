/* Libraries by their distance from the reader. The reader's location, or the place chosen instead, stays in this browser:
   distances are computed here, from a list of all libraries that is the same for everybody. Works on the page of all
   libraries, on results, and on the libraries that hold a book. What it needs is hidden until it runs. */
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const near = document.querySelector("[data-near]"); // has the words and the address of the list
  if (!near) return;
  const part = (name) => near.querySelector(`[data-near-${name}]`);
  const MOST = 20; // libraries that are listed
  const MOST_HOLDERS = 8; // of a book, as many as its page begins with
  const NEARBY = 20; // kilometres
  const SOMEWHERE = 30; // kilometres added for a library that is known to be in its prefecture, but not where
  const words = near.dataset;
  const english = !document.documentElement.lang.startsWith("ja");

  /* Where the prefectural offices are, to a hundredth of a degree: for libraries without coordinates, and for readers who
     choose a prefecture. */
  const OFFICES = [
    [43.06, 141.35], [40.82, 140.74], [39.70, 141.15], [38.27, 140.87], [39.72, 140.10], [38.24, 140.36], [37.75, 140.47],
    [36.34, 140.45], [36.57, 139.88], [36.39, 139.06], [35.86, 139.65], [35.61, 140.12], [35.69, 139.69], [35.45, 139.64],
    [37.90, 139.02], [36.70, 137.21], [36.59, 136.63], [36.07, 136.22], [35.66, 138.57], [36.65, 138.18], [35.39, 136.72],
    [34.98, 138.38], [35.18, 136.91], [34.73, 136.51], [35.00, 135.87], [35.02, 135.76], [34.69, 135.52], [34.69, 135.18],
    [34.69, 135.83], [34.23, 135.17], [35.50, 134.24], [35.47, 133.05], [34.66, 133.93], [34.40, 132.46], [34.19, 131.47],
    [34.07, 134.56], [34.34, 134.04], [33.84, 132.77], [33.56, 133.53], [33.61, 130.42], [33.25, 130.30], [32.74, 129.87],
    [32.79, 130.74], [33.24, 131.61], [31.91, 131.42], [31.56, 130.56], [26.21, 127.68],
  ];
  const officeOf = (prefecture) => OFFICES[Number(prefecture) - 1];

  /* The place: {code, name} or {point}, or null. */

  const readPlace = () => {
    try {
      const kept = JSON.parse(localStorage.getItem("place"));
      if (Array.isArray(kept?.point) && kept.point.length === 2 && kept.point.every(Number.isFinite)) return { point: kept.point };
      if (typeof kept?.name === "string" && /^\d{2}(\d{3})?$/.test(kept.code) && officeOf(kept.code.slice(0, 2))) return kept;
    } catch { /* none, or damaged */ }
    return null;
  };
  const writePlace = (place) => {
    try { place ? localStorage.setItem("place", JSON.stringify(place)) : localStorage.removeItem("place"); } catch { /* for this page only */ }
    show(place);
  };
  const say = (text) => { part("status").textContent = text; };

  /* Distances */

  let asked; // the list, requested once
  const load = () => asked ??= fetch(words.near).then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }).then((found) => found.libraries).catch((error) => { asked = undefined; throw error; });

  const isLocated = (library) => library.latitude !== null && library.longitude !== null;
  const pointOf = (library) => isLocated(library) ? [library.latitude, library.longitude] : officeOf(library.prefecture);
  const middle = (libraries) => {
    const points = libraries.filter(isLocated).map(pointOf);
    return points.length ? [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length) : null;
  };
  const start = (place, libraries) => place.point
    ?? (place.code.length > 2 ? middle(libraries.filter((one) => one.municipality === place.code)) : null) ?? officeOf(place.code.slice(0, 2));
  /* Kilometres on a sphere (haversine). */
  const distance = ([latitude, longitude], [otherLatitude, otherLongitude]) => {
    const radians = (degrees) => degrees * Math.PI / 180;
    const half = (degrees) => Math.sin(radians(degrees) / 2) ** 2;
    const chord = half(otherLatitude - latitude) + Math.cos(radians(latitude)) * Math.cos(radians(otherLatitude)) * half(otherLongitude - longitude);
    return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(chord)));
  };
  /* Map of number -> {library, outside, km}: a chosen place goes before distance. */
  const measure = (place, libraries) => {
    const from = start(place, libraries);
    return new Map(libraries.map((library) => {
      const point = pointOf(library);
      const outside = place.code && !(place.code.length > 2 ? library.municipality === place.code : library.prefecture === place.code);
      const km = point ? distance(from, point) + (isLocated(library) ? 0 : SOMEWHERE) : Infinity;
      return [library.number, { library, outside: Boolean(outside), km }];
    }));
  };
  const compare = (one, other) => one.outside - other.outside || one.km - other.km || 0;
  const kilometres = ({ library, km }) => !isLocated(library) ? "" : `${km.toLocaleString(document.documentElement.lang, { maximumFractionDigits: km < 10 ? 1 : 0 })} km`;

  /* The page of all libraries */

  const entry = (measured) => {
    const { library } = measured;
    const item = document.createElement("li");
    const link = document.createElement("a");
    const far = document.createElement("span");
    const books = document.createElement("span");
    item.className = "library-entry";
    link.className = "library-name";
    link.href = `${words.path}${library.number}`;
    link.textContent = english && library.name_en || library.name;
    far.className = "distance";
    far.textContent = kilometres(measured);
    books.className = "books-held muted";
    books.textContent = library.books ? words.books.replace("{count}", library.books.toLocaleString(document.documentElement.lang)) : "";
    item.append(link, far, books);
    return item;
  };
  const list = (measured) => {
    const found = [...measured.values()].filter(({ km }) => Number.isFinite(km)).sort(compare);
    part("list")?.replaceChildren(...found.slice(0, MOST).map(entry));
  };
  const towns = all("[data-near-town] option", near);
  const showTowns = (place) => {
    const prefecture = place?.code?.slice(0, 2) ?? "";
    const own = towns.filter((option) => option.value.slice(0, 2) === prefecture && prefecture);
    if (!towns.length) return;
    part("town").replaceChildren(towns[0], ...own);
    part("town").value = place?.code?.length > 2 ? place.code : "";
    part("towns").hidden = !own.length;
  };

  /* The libraries that hold a book: the reader's own first, then the nearest. Those that are unfolded stay as many. */

  const holdings = document.querySelector("#holdings")?.closest("section");
  const shelves = () => holdings ? all("li.shelf", holdings) : [];
  const order = new WeakMap(); // the places of the shelves on the page as it came
  let measured = new Map();
  const arrange = () => {
    const lists = holdings ? all("ul.shelves", holdings) : [];
    const items = shelves();
    for (const item of items) if (!order.has(item)) order.set(item, items.indexOf(item));
    const key = (item) => {
      const star = item.querySelector("[data-library]");
      const found = measured.get(star?.dataset.library);
      return { own: star?.dataset.kept === "true" ? 0 : 1, outside: found ? found.outside : measured.size > 0, km: found?.km ?? Infinity };
    };
    const keys = new Map(items.map((item) => [item, key(item)]));
    const sorted = [...items].sort((one, other) => keys.get(one).own - keys.get(other).own
      || keys.get(one).outside - keys.get(other).outside
      || (keys.get(one).km === keys.get(other).km ? 0 : keys.get(one).km - keys.get(other).km)
      || order.get(one) - order.get(other));
    watching?.disconnect();
    if (sorted.some((item, index) => item !== items[index])) {
      const lengths = lists.map((own) => own.querySelectorAll(":scope > li.shelf").length);
      lists.forEach((own, index) => own.append(...sorted.splice(0, lengths[index])));
    }
    for (const item of shelves()) label(item);
    watching?.observe(holdings, { childList: true, subtree: true });
  };
  const label = (item) => {
    item.querySelector(".distance")?.remove();
    const found = measured.get(item.querySelector("[data-library]")?.dataset.library);
    const text = found ? kilometres(found) : "";
    if (!text) return;
    const far = document.createElement("span");
    far.className = "distance";
    far.textContent = text;
    item.querySelector("h3")?.after(far);
  };
  /* Of very many libraries the page has only the first ones: the nearest of all are added. They are chosen here, from a
     list of all holders that is the same for everybody, so that no request says where the reader is. */
  let everyHolder; // requested once
  const holders = () => everyHolder ??= fetch(holdings.dataset.holders).then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }).then((found) => found.libraries).catch((error) => { everyHolder = undefined; throw error; });
  const nearest = async () => {
    const found = (await holders()).map(([number, link, kind]) => ({ number, link, kind, ...measured.get(number) }));
    return found.filter(({ library, km }) => library && Number.isFinite(km)).sort(compare).slice(0, MOST_HOLDERS);
  };
  const shelfOf = ({ number, link, kind, library }) => {
    const item = document.createElement("li");
    const head = document.createElement("div");
    const heading = document.createElement("h3");
    const page = document.createElement("a");
    item.className = "shelf";
    item.dataset.added = number;
    head.className = "shelf-head";
    page.href = `${words.path}${number}`;
    page.textContent = english && library.name_en || library.name;
    heading.append(page);
    head.append(heading, star(number, page.textContent));
    if (/^https?:/.test(link)) head.append(door(link, kind, page.textContent));
    item.append(head);
    return item;
  };
  const span = (className, ...content) => {
    const made = document.createElement("span");
    made.className = className;
    made.append(...content);
    return made;
  };
  const star = (number, name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "save own-button star";
    Object.assign(button.dataset, { library: number, name, kept: "false" });
    button.append(span("unseen", span("keep", words.starAdd), span("drop", words.starDrop)), span("unseen", ` – ${name}`));
    return button;
  };
  const door = (link, kind, name) => {
    const out = document.createElement("a");
    out.className = `button go out ${kind}`;
    out.href = link;
    out.rel = "noopener noreferrer nofollow";
    out.append(words[kind] ?? words.detail, span("unseen", ` – ${name}`));
    return out;
  };
  const addNearby = async (place) => {
    for (const item of holdings ? all("[data-added]", holdings) : []) item.remove();
    if (place && holdings?.dataset.holders) {
      const found = await nearest();
      const shown = new Set(shelves().map((shelf) => shelf.querySelector("[data-library]")?.dataset.library));
      holdings.querySelector("ul.shelves").append(...found.filter(({ number }) => !shown.has(number)).map(shelfOf));
    }
    if (holdings) document.dispatchEvent(new Event("shelves"));
  };

  /* Results: how many of the libraries that hold a book are near. */

  const isNear = (place, found) => found && !found.outside && (place.code || found.km <= NEARBY);
  const countNear = (place) => {
    for (const line of all("[data-held-by]")) {
      line.querySelector(".near-held")?.remove();
      const holding = line.dataset.heldBy.split(" ");
      const count = place ? holding.filter((number) => isNear(place, measured.get(number))).length : 0;
      if (count) line.append(" ", span("near-held", words.nearHeld.replace("{near}", count).replace("{all}", holding.length)));
    }
  };

  const watching = holdings ? new MutationObserver(arrange) : null; // more of them may be loaded later

  const show = async (place) => {
    part("forget").hidden = !place;
    const choice = part("place");
    if (choice) choice.value = place?.code?.slice(0, 2) ?? "";
    showTowns(place);
    try {
      const libraries = place ? await load() : [];
      measured = place ? measure(place, libraries) : new Map();
      list(measured);
      countNear(place);
      await addNearby(place);
      say(place ? words.sorted.replace("{place}", place.name ?? words.here) : "");
    } catch {
      say(words.failed);
    }
    arrange();
  };
  const locate = () => {
    if (!navigator.geolocation) return say(words.denied);
    navigator.geolocation.getCurrentPosition(
      // To a hundredth of a degree, about a kilometre: as much as the order of libraries needs.
      ({ coords }) => writePlace({ point: [coords.latitude, coords.longitude].map((degrees) => Math.round(degrees * 100) / 100) }),
      () => say(words.denied),
      { timeout: 20000, maximumAge: 600000 },
    );
  };
  const choose = ({ value, selectedOptions: [option] }) => value && writePlace({ code: value, name: option.textContent });

  part("here").addEventListener("click", locate);
  part("forget").addEventListener("click", () => writePlace(null));
  part("place")?.addEventListener("change", ({ target }) => target.value ? choose(target) : writePlace(null));
  part("town")?.addEventListener("change", ({ target }) => choose(target.value ? target : part("place")));
  document.addEventListener("own", arrange); // the reader's own libraries changed
  window.addEventListener("storage", () => show(readPlace()));
  near.hidden = false;
  show(readPlace());
})();
