/* Suggestions below a search box while a reader types: a combobox as defined by WAI-ARIA (list, manual selection).
   Part of the Library Aggregator, MIT License. Without this file the box is a plain search box.

   <input data-suggest="/suggest"> is all a page needs. The server sends the options as HTML in the page's language.
   No request is sent while an input method composes (かな → 漢字), and at most one in PAUSE milliseconds. */
"use strict";

(() => {
  const PAUSE = 180;
  const KEPT = 50; // answers that are cached on this page

  for (const [number, input] of document.querySelectorAll("input[data-suggest]").entries()) combobox(input, `suggestions-${number}`);

  function combobox(input, id) {
    const list = element("ul", { id, role: "listbox", class: "suggestions", hidden: "" });
    list.setAttribute("aria-label", input.dataset.suggestLabel || "");
    const status = element("p", { role: "status", class: "unseen" });
    input.after(list);
    list.after(status);
    for (const [name, value] of Object.entries({
      type: "text", enterkeyhint: "search", role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-haspopup": "listbox",
      "aria-controls": id, "aria-expanded": "false",
    })) input.setAttribute(name, value);

    const answers = new Map();
    let active = -1;
    let timer = 0;
    let request = null;
    let quietUntil = 0;

    const options = () => list.querySelectorAll("[role=option]");

    function close() {
      clearTimeout(timer);
      request?.abort();
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      mark(-1);
    }

    function mark(index) {
      active = index;
      for (const [place, option] of options().entries()) {
        option.setAttribute("aria-selected", String(place === index));
        if (place === index) option.scrollIntoView({ block: "nearest" });
      }
      if (index < 0) input.removeAttribute("aria-activedescendant");
      else input.setAttribute("aria-activedescendant", options()[index].id);
    }

    function choose(option) {
      input.value = option.dataset.value;
      close();
      input.form.requestSubmit();
    }

    function show(fragment) {
      const parsed = new DOMParser().parseFromString(fragment, "text/html");
      list.replaceChildren(...parsed.querySelectorAll("[role=option]"));
      for (const [place, option] of options().entries()) option.id = `${id}-${place}`;
      status.textContent = parsed.querySelector("[data-status]")?.textContent ?? "";
      const found = options().length > 0 && document.activeElement === input;
      list.hidden = !found;
      input.setAttribute("aria-expanded", String(found));
      mark(-1);
    }

    async function ask() {
      const typed = input.value.trim();
      request?.abort();
      if (!typed) return close();
      if (answers.has(typed)) return show(answers.get(typed));
      if (Date.now() < quietUntil) return close();
      request = new AbortController();
      try {
        const address = `${input.dataset.suggest}?${new URLSearchParams({ q: typed, format: "html" })}`;
        const response = await fetch(address, { signal: request.signal, headers: { Accept: "text/html" } });
        if (!response.ok) {
          quietUntil = Date.now() + 1000 * Number(response.headers.get("Retry-After") || 10);
          return close();
        }
        const fragment = await response.text();
        if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
        answers.set(typed, fragment);
        if (input.value.trim() === typed) show(fragment);
      } catch (problem) {
        if (problem.name !== "AbortError") close(); // no network: the search box works without suggestions
      }
    }

    function later() {
      clearTimeout(timer);
      timer = setTimeout(ask, PAUSE);
    }

    input.addEventListener("input", (event) => event.isComposing || later());
    input.addEventListener("compositionstart", close);
    input.addEventListener("compositionend", later);
    input.addEventListener("blur", close);
    input.form.addEventListener("submit", close);
    list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) choose(option);
    });
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.altKey || event.metaKey) return;
      const last = options().length - 1;
      const steps = { ArrowDown: active >= last ? -1 : active + 1, ArrowUp: active < 0 ? last : active - 1 };
      if (event.key in steps) {
        event.preventDefault();
        if (list.hidden) ask();
        else mark(steps[event.key]);
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      } else if (event.key === "Enter" && active >= 0) {
        event.preventDefault();
        choose(options()[active]);
      }
    });
  }

  function element(name, attributes) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }
})();
