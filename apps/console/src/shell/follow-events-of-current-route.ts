import { effect } from "@preact/signals";
import { callerIdentity, hasScope } from "../api/caller-identity";
import { credential, signOut } from "../api/credential";
import { serverUrl, signInSettings } from "../api/settings";
import { switchEventFeed } from "../events/tab-feed";
import { currentRoute } from "../routing/route";
import { findRouteAccount } from "./current-page";

/**
 * Subscribes the browser tab to events while the user is signed in with the scope `read`. The tab receives the events of the account in the URL or,
 * without one, of all accounts.
 */
export function followEventsOfCurrentRoute(): void {
  effect(() => {
    const secret = credential.value;
    const account = findRouteAccount(currentRoute.value);
    const isSignedIn =
      (!signInSettings.auth || secret !== undefined) && callerIdentity.value !== undefined && hasScope("read");
    // The effect runs before pages are drawn. So a tab joins an event feed before it loads the values that the feed's events change.
    switchEventFeed(isSignedIn ? { serverUrl, secret, account } : undefined, signOut);
  });
}
