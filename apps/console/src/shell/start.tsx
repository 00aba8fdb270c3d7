import { render } from "preact";
import { App } from "./app";
import { followEventsOfCurrentRoute } from "./follow-events-of-current-route";

const root = document.getElementById("app");

/** Shows the console. If the URL has the parameter `state`, the issuer has sent the user back: finishes the sign-in first. */
export async function showConsole(): Promise<void> {
  // Not a top-level await, which would deadlock: the loaded module imports from this chunk, so each module would wait for the other one.
  if (new URLSearchParams(location.search).has("state")) await (await import("../sign-in/oidc")).finishSignIn();
  followEventsOfCurrentRoute();
  if (root !== null) render(<App />, root);
}
