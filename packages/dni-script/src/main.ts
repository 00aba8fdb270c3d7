import type { CalltrackEventDetail } from "./dni-debug.js";
import { fetchNumbers, reportVisit } from "./dni-server.js";
import { createNumberDisplay, type NumberDisplayEnvironment } from "./number-display.js";
import type { ShowNumberPairs } from "./page-numbers.js";
import { continueVisit, startVisit, type Visit } from "./visit.js";
import { removeSourceFromAddress } from "./visit-link.js";

const script = document.currentScript as HTMLScriptElement;

// On any error, the page stays unchanged and the console stays clean.
start().catch(() => {});

async function start(): Promise<void> {
  // Some tag managers drop attributes, so each setting can also be a query parameter of the script's address.
  const { searchParams } = new URL(script.src);
  const setting = (name: string) => script.getAttribute(`data-${name}`) ?? searchParams.get(name);
  // The address at which the page was opened. Other scripts, such as routers, may have changed `location` since.
  const opened = performance.getEntriesByType("navigation")[0]?.name ?? location.href;

  // Waits until a prerendered page is shown, which may never happen.
  if ((document as { prerendering?: boolean }).prerendering) {
    await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve));
  }

  const [account, token] = ["account", "property"].map((name) => encodeURIComponent(setting(name) ?? ""));
  const property = new URL(`dni_manager/accounts/${account}/properties/${token}/`, script.src).href;
  // Runs only once for each property, because tag managers may insert the script again, such as on each view of a single-page application.
  const running = window as unknown as Record<string, boolean>;
  if (running[property]) return;
  running[property] = true;

  const readStored = (): Partial<Visit> => {
    try {
      return JSON.parse(sessionStorage[property]);
    } catch {
      return {};
    }
  };
  const visit = continueVisit(readStored(), startVisit(opened, document.referrer, setting("ignore-referrers")));
  removeSourceFromAddress();
  const save = () => {
    // Keeps the entries for numbers that earlier visits, frames, and pages in the back/forward cache have shown.
    visit.meanings = { ...readStored().meanings, ...visit.meanings };
    try {
      sessionStorage[property] = JSON.stringify(visit);
    } catch {}
  };
  const report = () => {
    if (visit.event) reportVisit(property, visit);
    visit.event = "";
    save();
  };
  const load = (file: string) => import(new URL(file, script.src).href);
  // Loads dni-page.js in parallel with the request for the numbers.
  const loading = load("dni-page.js").then(({ startNumberSwapping }: typeof import("./page-numbers.js")) =>
    startNumberSwapping(setting, visit),
  );
  loading.catch(() => {});
  let latest: CalltrackEventDetail["numbers"] | undefined;
  const swap = (pairs: CalltrackEventDetail["numbers"]) => {
    latest = pairs;
    const show = (showPairs: ShowNumberPairs) => {
      if (latest !== pairs) return;
      const numbers = showPairs(pairs);
      save();
      const detail: CalltrackEventDetail = { type: "numbers", ...visit.origin, numbers };
      document.dispatchEvent(new CustomEvent("calltrack", { detail }));
      // Runs the page's function in a separate task, so that the browser reports an error that the function throws.
      setTimeout(notify, 0, setting("on-number") ?? "", detail);
    };
    loading.then(show).catch(() => {});
  };
  let page: NumberDisplayEnvironment = { fetchNumbers: () => fetchNumbers(property, visit), swap, now: Date.now, save };
  if (setting("debug") !== null || opened.includes("calltrack=debug")) {
    try {
      page = (await load("dni-debug.js")).addDebugLogging(page, property, visit);
    } catch {}
  }
  if (!account || !token) return;

  save();
  const update = createNumberDisplay(visit, page);
  const updateIfVisible = () => document.hidden || update();
  update();
  setInterval(updateIfVisible, 1000);
  // Without these listeners, a tab that becomes visible, or a page from the back/forward cache, could show an expired number for up to a second.
  for (const type of ["visibilitychange", "pageshow"]) addEventListener(type, updateIfVisible);

  if (document.readyState === "complete") report();
  // The event `pagehide` covers visitors who leave before the page has loaded.
  for (const type of ["load", "pagehide"]) addEventListener(type, report);
}

/** Calls the global function at `path`, such as `record` or `app.tracking.record`, with the detail. Does nothing if there is no such function. */
function notify(path: string, detail: CalltrackEventDetail): void {
  let owner: unknown;
  let value: unknown = window;
  for (const name of path.split(".")) [owner, value] = [value, (value as Record<string, unknown> | undefined)?.[name]];
  if (typeof value === "function") value.call(owner, detail);
}
