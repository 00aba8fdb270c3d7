import { render } from "preact";
import { App } from "./app";
import { followRoute } from "./follow-route";

const root = document.getElementById("app");

/** Shows the console. If the issuer has sent the user back, which the parameter `state` shows, finishes the sign-in first. */
async function start(): Promise<void> {
  // No top-level await: the loaded module imports from this chunk, so each would wait for the other.
  if (new URLSearchParams(location.search).has("state")) await (await import("../sign-in/oidc")).finishSignIn();
  followRoute();
  if (root !== null) render(<App />, root);
}

void start();
