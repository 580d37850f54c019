/* The page of the reader's list: its order, notes, and the link by which it is shared. Order and notes are stored in this
   browser; notes never leave it. The list itself is read and shown by site.js. */
(() => {
  "use strict";
  const LIST = "list", NOTES = "notes";
  const parse = (name, empty) => { try { return JSON.parse(localStorage.getItem(name)) ?? empty; } catch { return empty; } };
  const write = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* not stored */ } };
  const readList = () => { const ids = parse(LIST, []); return Array.isArray(ids) ? ids : []; };
  const readNotes = () => { const notes = parse(NOTES, {}); return notes && typeof notes === "object" ? notes : {}; };
  const idOf = (row) => row.querySelector("[data-save]")?.dataset.save;
  const rowsOf = (place) => [...place.querySelectorAll(".hit-list > .hit")];

  /* Notes of records that are no longer on the list are deleted; those of former ids move to the present ones. */
  const tidyNotes = (place) => {
    const notes = readNotes();
    for (const { dataset } of place.querySelectorAll("[data-former]")) {
      if (notes[dataset.former] && !notes[dataset.present]) notes[dataset.present] = notes[dataset.former];
    }
    const ids = new Set(readList());
    write(NOTES, Object.fromEntries(Object.entries(notes).filter(([id, text]) => ids.has(id) && typeof text === "string")));
  };

  const keepOrder = (place) => {
    const shown = rowsOf(place).map(idOf).reverse(); // the list begins with the oldest, the page with the newest
    write(LIST, [...readList().filter((id) => !shown.includes(id)), ...shown]);
    for (const input of place.querySelectorAll('.export > [name="id"]')) input.remove();
    place.querySelector(".export").append(...rowsOf(place).map((row) => {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name: "id", value: idOf(row) });
      return input;
    }));
    showLink(place);
  };

  const move = (place, row, step, button) => {
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    step < 0 ? other.before(row) : other.after(row);
    keepOrder(place);
    button.focus();
  };

  const showLink = (place) => {
    const link = place.querySelector("[data-list-link]");
    const ids = rowsOf(place).map(idOf).map((id) => `id=${encodeURIComponent(id)}`);
    link.href = `${link.dataset.listLink}?${ids.join("&")}`;
  };

  const addTools = (place) => {
    const tools = place.querySelector("[data-list-tools]"), notes = readNotes();
    for (const row of rowsOf(place)) {
      const id = idOf(row), copy = tools.content.cloneNode(true);
      const title = row.querySelector("h3").textContent.trim();
      for (const button of copy.querySelectorAll("[data-move]")) {
        button.setAttribute("aria-label", `${button.textContent.trim()} – ${title}`);
        button.addEventListener("click", () => move(place, row, Number(button.dataset.move), button));
      }
      const note = copy.querySelector("textarea");
      note.setAttribute("aria-label", `${note.dataset.label} – ${title}`);
      note.value = notes[id] ?? "";
      note.rows = Math.max(1, note.value.split("\n").length);
      note.addEventListener("input", () => {
        const { [id]: _former, ...others } = readNotes();
        write(NOTES, note.value.trim() ? { ...others, [id]: note.value } : others);
      });
      row.append(copy);
    }
  };

  const start = (place) => {
    if (!place.querySelector("[data-list-tools]")) return;
    tidyNotes(place);
    addTools(place);
    showLink(place);
    const copy = place.querySelector("[data-list-copy]");
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(place.querySelector("[data-list-link]").href);
      const status = document.querySelector("[data-status]");
      if (status) status.textContent = copy.dataset.listCopy;
      copy.textContent = copy.dataset.listCopy;
    });
  };

  /* Somebody else's list, opened by its link: all of it is added to the reader's own. */
  for (const button of document.querySelectorAll("[data-list-add]")) {
    const most = Number(document.querySelector("[data-most]")?.dataset.most ?? 0);
    button.hidden = false;
    button.addEventListener("click", () => {
      const own = readList(), shown = rowsOf(document).map(idOf).reverse();
      write(LIST, [...own, ...shown.filter((id) => !own.includes(id))].slice(0, most || undefined));
      location.assign(button.dataset.listAdd);
    });
  }

  const place = document.querySelector("[data-list-page]");
  place?.addEventListener("list-filled", () => start(place));
  if (place?.children.length) start(place);
})();
