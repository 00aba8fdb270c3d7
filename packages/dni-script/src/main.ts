import { findNumbers, reportVisit } from "./dni-server.js";
import { createNumberDisplay } from "./number-display.js";
import { swapPageNumbers } from "./page-numbers.js";
import { continueVisit, type Visit } from "./visit.js";

const script = document.currentScript as HTMLScriptElement;

// On any error, the page stays unchanged and the console stays clean.
try {
  const { account, property } = script.dataset;
  if (account && property) {
    const [accountId, token] = [account, property].map(encodeURIComponent);
    start(new URL(`dni_manager/accounts/${accountId}/properties/${token}/`, script.src).href);
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
  const page = { findNumbers: () => findNumbers(property, visit), swap: swapPageNumbers, now: Date.now, save };
  const update = createNumberDisplay(visit, page);
  const updateIfVisible = () => document.hidden || update();
  update();
  setInterval(updateIfVisible, 1000);
  // A tab that becomes visible, or a page that returns from the back/forward cache, shows no expired number until the next second.
  for (const type of ["visibilitychange", "pageshow"]) addEventListener(type, updateIfVisible);

  if (document.readyState === "complete") report();
  // "pagehide" is for visitors who leave before the page is loaded.
  for (const type of ["load", "pagehide"]) addEventListener(type, report);
}
