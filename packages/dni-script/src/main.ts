import type { NumbersShown } from "./dni-debug.js";
import { fetchNumbers, reportVisit } from "./dni-server.js";
import { createNumberDisplay, type Page } from "./number-display.js";
import type { ShowPairs } from "./page-numbers.js";
import { continueVisit, startVisit, type Visit } from "./visit.js";
import { hideCarried } from "./visit-link.js";

const script = document.currentScript as HTMLScriptElement;

// On any error, the page stays unchanged and the console stays clean.
start().catch(() => {});

async function start(): Promise<void> {
  // Tag managers drop attributes, so each setting may also be a parameter of the script's address.
  const { searchParams } = new URL(script.src);
  const setting = (name: string) => script.getAttribute(`data-${name}`) ?? searchParams.get(name);
  // Routers and cleaners change the address before the script runs.
  const opened = performance.getEntriesByType("navigation")[0]?.name ?? location.href;

  // A prerendered page may never be shown.
  if ((document as { prerendering?: boolean }).prerendering) {
    await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve));
  }

  const [account, token] = ["account", "property"].map((name) => encodeURIComponent(setting(name) ?? ""));
  const property = new URL(`dni_manager/accounts/${account}/properties/${token}/`, script.src).href;
  // Tag managers may insert the script again, such as on each view of a single-page application.
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
  hideCarried();
  const save = () => {
    // Earlier visits, frames, and pages that the back/forward cache keeps have meanings of their own.
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
  // Loads while the server is asked for the numbers.
  const loading = load("dni-page.js").then(({ observePage }: typeof import("./page-numbers.js")) =>
    observePage(setting, visit),
  );
  loading.catch(() => {});
  let latest: NumbersShown["numbers"] | undefined;
  const swap = (pairs: NumbersShown["numbers"]) => {
    latest = pairs;
    const show = (showPairs: ShowPairs) => {
      if (latest !== pairs) return;
      const numbers = showPairs(pairs);
      save();
      const detail: NumbersShown = { type: "numbers", ...visit.origin, numbers };
      document.dispatchEvent(new CustomEvent("calltrack", { detail }));
      // Errors in the page's function are reported as its own.
      setTimeout(notify, 0, setting("on-number") ?? "", detail);
    };
    loading.then(show).catch(() => {});
  };
  let page: Page = { fetchNumbers: () => fetchNumbers(property, visit), swap, now: Date.now, save };
  if (setting("debug") !== null || opened.includes("calltrack=debug")) {
    try {
      page = (await load("dni-debug.js")).explainPage(page, property, visit);
    } catch {}
  }
  if (!account || !token) return;

  save();
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

/** Calls a function of the page by its name, such as `record` or `app.tracking.record`, if there is one. */
function notify(path: string, detail: NumbersShown): void {
  let owner: unknown;
  let value: unknown = window;
  for (const name of path.split(".")) [owner, value] = [value, (value as Record<string, unknown> | undefined)?.[name]];
  if (typeof value === "function") value.call(owner, detail);
}
