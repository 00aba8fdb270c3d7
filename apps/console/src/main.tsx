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
if (root !== null) {
  // Only the issuer sends the reader back with these parameters.
  if (new URLSearchParams(location.search).has("state")) await (await import("./sign-in/oidc")).finishSignIn();
  render(<App />, root);
}
