import { readSavedTheme } from "./ui/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/table.css";
import "./styles/charts.css";
import "./styles/print.css";

document.documentElement.dataset.theme = readSavedTheme();

/** Loads the console. Called after the browser has painted `index.html`, because compiling and running the code would delay the paint. */
function start(): void {
  import("./shell/start").then(({ showConsole }) => showConsole()).catch(showFailure);
  // Loads a module that almost every user needs after the start. The component that uses the module reports a failed load.
  import("./shell/require-read-scope").catch(() => {});
}

function showFailure(error: unknown): void {
  const main = document.querySelector("main");
  if (main === null) return;
  // The browser's settings can forbid `localStorage` and `sessionStorage`, for example together with all cookies.
  const isStorageDenied = error instanceof DOMException && error.name === "SecurityError";
  main.textContent = isStorageDenied
    ? "The browser does not let the console store data. Allow cookies and site data for this site, and reload the page."
    : "The console could not be loaded. Reload the page.";
}

// Browsers do not paint hidden pages, so `requestAnimationFrame` would not call back.
if (document.visibilityState === "hidden") start();
else requestAnimationFrame(() => setTimeout(start));
