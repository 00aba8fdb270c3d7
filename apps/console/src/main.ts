import { savedTheme } from "./ui/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/table.css";
import "./styles/charts.css";
import "./styles/print.css";

document.documentElement.dataset.theme = savedTheme();

/** Loads the console after the browser has painted `index.html`: to compile and run the code would delay that. */
function start(): void {
  import("./shell/start").catch(() => {
    const main = document.querySelector("main");
    if (main !== null) main.textContent = "The console could not be loaded. Reload the page.";
  });
  // Almost every reader needs it next. Where it is shown, a failure is shown too.
  import("./shell/with-caller").catch(() => {});
}

// A hidden page is not painted.
if (document.visibilityState === "hidden") start();
else requestAnimationFrame(() => setTimeout(start));
