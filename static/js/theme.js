/* The colours that the reader chose, before the first paint, so that nothing flashes. Loaded in <head>, not deferred. */
"use strict";
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage is switched off: the browser's own wish counts */ }
})();
