/* One letter presses the button or link that names it (data-key). Can be switched off, as WCAG 2.1.4 asks; the choice is
   kept in this browser. Without this script the buttons work as they stand. */
(() => {
  "use strict";
  const KEPT = "shortcuts";
  const box = document.querySelector("[data-shortcuts]");
  const read = () => { try { return localStorage.getItem(KEPT) !== "off"; } catch { return true; } };
  const keep = (on) => { try { localStorage.setItem(KEPT, on ? "on" : "off"); } catch { /* not kept, but in force */ } };
  let on = read();
  let pressed = false;

  const show = () => {
    for (const each of document.querySelectorAll("[data-key] kbd")) each.hidden = !on;
  };
  if (box) {
    box.checked = on;
    box.closest("[hidden]").hidden = false;
    box.addEventListener("change", () => { on = box.checked; keep(on); show(); });
  }
  show();

  // While an input method is on, `key` says nothing; `code` still names the key.
  const letter = (event) => (/^[a-z]$/i.test(event.key) ? event.key : event.code.replace(/^Key/, "")).toLowerCase();
  const typing = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (!on || pressed || event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
    const found = document.querySelector(`[data-key="${CSS.escape(letter(event))}"]`);
    if (!found) return;
    event.preventDefault();
    pressed = true; // one answer a page: a second letter must not rule about a pair that nobody has seen
    found.click();
  });
  window.addEventListener("pageshow", () => { pressed = false; });
})();
