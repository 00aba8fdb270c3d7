import { render } from "preact";
import { App } from "./shell/app";
import "./ui/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/table.css";
import "./styles/charts.css";
import "./styles/print.css";

const root = document.getElementById("app");

/** Shows the console, after a sign-in at the issuer is finished: only the issuer sends the reader back with a state. */
async function start(): Promise<void> {
  // Not awaited by the module itself, because the loaded one imports from it.
  if (new URLSearchParams(location.search).has("state")) await (await import("./sign-in/oidc")).finishSignIn();
  if (root !== null) render(<App />, root);
}

void start();
