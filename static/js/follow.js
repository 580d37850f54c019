/* Reports which links to providers and libraries are followed: the book and the target, nothing about the reader. */
"use strict";
{
  const counter = document.currentScript.dataset.counter;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-follow]");
    if (link) navigator.sendBeacon(counter, link.dataset.follow);
  });
}
