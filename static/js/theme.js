/* Applies the reader's choice of colours before the first paint, to avoid a flash, and says that scripts run, so that what
   needs them has its place from the start. Loaded in <head>, not deferred. */
"use strict";
(() => {
  document.documentElement.dataset.script = "";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage is disabled: the browser's setting applies */ }
})();
