import { findNumbers, reportVisit } from "./dni-server.js";
import { createNumberSwap } from "./number-swap.js";
import { swapPageNumbers } from "./page-numbers.js";
import { continueVisit, type Visit } from "./visit.js";

const script = document.currentScript as HTMLScriptElement;

// Whatever goes wrong: the page stays as its authors made it, and their console stays clean.
try {
  const token = script.dataset.property;
  if (token) start(new URL(`dni_manager/properties/${encodeURIComponent(token)}/`, script.src).href);
} catch {}

function start(property: string): void {
  let before: Visit | undefined;
  try {
    before = JSON.parse(sessionStorage[property]);
  } catch {}
  const visit = continueVisit(before, location.href, document.referrer);
  const keep = () => {
    try {
      sessionStorage[property] = JSON.stringify(visit);
    } catch {}
  };
  const report = () => {
    const id = visit.event;
    visit.event = "";
    keep();
    if (id) reportVisit(property, id, visit);
  };

  keep();
  // A page of the same visit shows at once what the one before showed, and keeps to it: what is found now is for the next.
  const known = visit.numbers;
  if (known) swapPageNumbers(createNumberSwap(known));
  findNumbers(property, visit)
    .then((numbers) => {
      const swap = createNumberSwap(numbers);
      visit.numbers = numbers;
      keep();
      if (!known) swapPageNumbers(swap);
    })
    .catch(() => {});

  if (document.readyState === "complete") report();
  addEventListener("load", report);
  // Those who leave before.
  addEventListener("pagehide", report);
}
