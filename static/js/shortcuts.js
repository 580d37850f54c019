/* Keyboard shortcuts: a letter presses the button or link with this data-key. They can be switched off (WCAG 2.1.4); the
   choice is stored in this browser. Without this script the buttons work as usual. */
(() => {
  "use strict";
  const KEPT = "shortcuts";
  const box = document.querySelector("[data-shortcuts]");
  const read = () => { try { return localStorage.getItem(KEPT) !== "off"; } catch { return true; } };
  const keep = (on) => { try { localStorage.setItem(KEPT, on ? "on" : "off"); } catch { /* not stored, but in force on this page */ } };
  let on = read();
  let pressed = false;

  const show = () => {
    for (const hint of document.querySelectorAll("[data-key] kbd")) hint.hidden = !on;
  };
  if (box) {
    box.checked = on;
    box.closest("[hidden]").hidden = false;
    box.addEventListener("change", () => { on = box.checked; keep(on); show(); });
  }
  show();

  // With an active input method `key` is not the letter, but `code` still names the key.
  const letter = (event) => (/^[a-z]$/i.test(event.key) ? event.key : event.code.replace(/^Key/, "")).toLowerCase();
  const typing = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (!on || pressed || event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
    const found = document.querySelector(`[data-key="${CSS.escape(letter(event))}"]`);
    if (!found) return;
    event.preventDefault();
    pressed = true; // one answer per page: a second letter must not answer for the next pair before it is seen
    found.click();
  });
  window.addEventListener("pageshow", () => { pressed = false; });
})();
