/* The choice of colours, and the list of records that is stored in this browser. The elements it works on are hidden or
   empty until it runs, so that pages never offer what does not work. */
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  const storage = {
    get(name) { try { return localStorage.getItem(name); } catch { return null; } },
    set(name, value) {
      try { value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value); return true; } catch { return false; }
    },
  };

  const say = (name) => {
    const status = document.querySelector("[data-status]");
    if (status) status.textContent = status.dataset[name] ?? "";
  };

  /* Colours */

  const showTheme = () => {
    const chosen = document.documentElement.dataset.theme ?? "auto";
    for (const button of all("[data-choose-theme]")) button.setAttribute("aria-pressed", String(button.dataset.chooseTheme === chosen));
  };
  const chooseTheme = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    storage.set("theme", theme === "auto" ? null : theme);
    showTheme();
  };

  /* The list: ids, in the order in which they were saved. Read again every time, as other tabs may change it. */

  const readList = () => {
    try {
      const ids = JSON.parse(storage.get("list") ?? "[]");
      return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
    } catch { return []; }
  };
  const showList = () => {
    const ids = readList();
    for (const button of all("[data-save]")) button.dataset.kept = String(ids.includes(button.dataset.save));
    for (const place of all("[data-list-count]")) {
      place.textContent = ids.length;
      place.hidden = !ids.length;
    }
  };
  const toggle = (id) => {
    const ids = readList();
    const has = ids.includes(id);
    const most = Number(document.querySelector("[data-most]")?.dataset.most ?? 0);
    if (!has && most && ids.length >= most) return say("full");
    const kept = storage.set("list", JSON.stringify(has ? ids.filter((other) => other !== id) : [...ids, id]));
    say(kept ? (has ? "removed" : "saved") : "off");
    showList();
  };

  /* The page of the list */

  const fillPage = async () => {
    const place = document.querySelector("[data-list-page]");
    if (!place) return;
    const ids = readList().reverse();
    document.querySelector("[data-list-empty]").hidden = ids.length > 0;
    document.querySelector("[data-list-clear]").hidden = !ids.length;
    if (!ids.length) return place.replaceChildren();
    const body = new FormData(document.querySelector("[data-list-form]"));
    for (const id of ids) body.append("id", id);
    try {
      const answer = await fetch(place.dataset.listPage, { method: "POST", body });
      if (!answer.ok) throw new Error(String(answer.status));
      place.innerHTML = await answer.text(); // our own page, escaped on the server
      renameIds(ids, all("[data-save]", place).map((button) => button.dataset.save).reverse());
      start(place);
      place.dispatchEvent(new Event("list-filled")); // for list.js
    } catch {
      document.querySelector("[data-list-failed]").hidden = false;
    }
  };

  /* A list may have former ids of books, or ids of their records; the buttons have the present ids. */
  const renameIds = (asked, present) => {
    const added = readList().filter((id) => !asked.includes(id) && !present.includes(id));
    storage.set("list", JSON.stringify([...present, ...added]));
  };

  /* Copying. Where a page has no access to the clipboard (plain HTTP), the browser copies what is selected. */

  const copy = async ({ dataset }) => {
    const source = document.getElementById(dataset.copy);
    const status = document.querySelector("[data-status]");
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
    } catch {
      getSelection().selectAllChildren(source);
      document.execCommand("copy");
    }
    if (status) status.textContent = dataset.copied;
  };
  const showCopied = (button) => {
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 2000);
  };

  /* Start */

  const start = (root) => {
    for (const hidden of all("[data-needs-script]", root)) hidden.hidden = false;
    showTheme();
    showList();
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.chooseTheme) chooseTheme(button.dataset.chooseTheme);
    if (button.dataset.save) toggle(button.dataset.save);
    if (button.dataset.copy) copy(button).then(() => showCopied(button));
    if ("print" in button.dataset) window.print();
    if ("listClear" in button.dataset && confirm(button.dataset.listClear)) {
      storage.set("list", null);
      showList();
      fillPage();
    }
  });
  window.addEventListener("storage", () => showList());
  window.addEventListener("pageshow", () => showList()); // a page restored from the browser's back/forward cache
  start(document);
  fillPage();
})();
