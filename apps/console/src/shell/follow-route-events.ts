import { effect } from "@preact/signals";
import { callerIdentity, hasScope } from "../api/caller-identity";
import { credential, signOut } from "../api/credential";
import { serverUrl, signInSettings } from "../api/settings";
import { switchTabFeed } from "../events/tab-feed";
import { currentRoute } from "../routing/route";
import { findRouteAccount } from "./current-page";

/** Makes the tab follow the events of the account in the URL, or of all accounts, while the user is signed in with the scope `read`. */
export function followRouteEvents(): void {
  effect(() => {
    const secret = credential.value;
    const account = findRouteAccount(currentRoute.value);
    const isSignedIn =
      (!signInSettings.auth || secret !== undefined) && callerIdentity.value !== undefined && hasScope("read");
    // The effect runs before pages are drawn, so a tab joins a feed before it loads the values that its events change.
    switchTabFeed(isSignedIn ? { serverUrl, secret, account } : undefined, signOut);
  });
}
