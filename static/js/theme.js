/* Applies the reader's choice of colours before the first paint, to avoid a flash. Loaded in <head>, not deferred. */
"use strict";
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage is disabled: the browser's setting applies */ }
})();
