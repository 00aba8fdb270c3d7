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
  import("./shell/start").catch(() => {
    const main = document.querySelector("main");
    if (main !== null) main.textContent = "The console could not be loaded. Reload the page.";
  });
  // Loads a module that almost every user needs after the start. The component that uses the module reports a failed load.
  import("./shell/require-read-scope").catch(() => {});
}

// Browsers do not paint hidden pages, so `requestAnimationFrame` would not call back.
if (document.visibilityState === "hidden") start();
else requestAnimationFrame(() => setTimeout(start));
