import { render } from "preact";
import { App } from "./app";
import { followRoute } from "./follow-route";

const root = document.getElementById("app");

/** Shows the console, after a sign-in at the issuer is finished: only the issuer sends the reader back with a state. */
async function start(): Promise<void> {
  // Not awaited by the module itself, because the loaded one imports from it.
  if (new URLSearchParams(location.search).has("state")) await (await import("../sign-in/oidc")).finishSignIn();
  followRoute();
  if (root !== null) render(<App />, root);
}

void start();
