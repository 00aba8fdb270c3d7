import { findNumbers, reportVisit } from "./dni-server.js";
import { createNumberSwap } from "./number-swap.js";
import { swapPageNumbers } from "./page-numbers.js";
import { continueVisit, type Visit } from "./visit.js";

const script = document.currentScript as HTMLScriptElement;

// On any error, the page stays unchanged and the console stays clean.
try {
  const { account, property } = script.dataset;
  if (account && property) {
    const path = `dni_manager/accounts/${encodeURIComponent(account)}/properties/${encodeURIComponent(property)}/`;
    start(new URL(path, script.src).href);
  }
} catch {}

function start(property: string): void {
  let previous: Visit | undefined;
  try {
    previous = JSON.parse(sessionStorage[property]);
  } catch {}
  const visit = continueVisit(previous, location.href, document.referrer);
  const save = () => {
    try {
      sessionStorage[property] = JSON.stringify(visit);
    } catch {}
  };
  const report = () => {
    const id = visit.event;
    visit.event = "";
    save();
    if (id) reportVisit(property, id, visit);
  };

  save();
  // A later page of a visit immediately shows the numbers found so far. The new results apply from the next page on.
  const cachedNumbers = visit.numbers;
  if (cachedNumbers) swapPageNumbers(createNumberSwap(cachedNumbers));
  findNumbers(property, visit)
    .then((numbers) => {
      const swap = createNumberSwap(numbers);
      visit.numbers = numbers;
      save();
      if (!cachedNumbers) swapPageNumbers(swap);
    })
    .catch(() => {});

  if (document.readyState === "complete") report();
  addEventListener("load", report);
  // For visitors who leave before the page is loaded.
  addEventListener("pagehide", report);
}
