import { effect } from "@preact/signals";
import { credential, signOut } from "../api/credential";
import { caller, hasScope } from "../api/identity";
import { serverUrl, settings } from "../api/settings";
import { follow } from "../events/live";
import { route } from "../routing/route";
import { accountOf } from "./current-page";

/** Follows the events of the account in the URL, or of all accounts, while the caller has the scope `read`. */
export function followRoute(): void {
  effect(() => {
    const secret = credential.value;
    const account = accountOf(route.value);
    const isSignedIn = (!settings.auth || secret !== undefined) && caller.value !== undefined && hasScope("read");
    // The effect runs before pages are drawn, so a tab joins a feed before it loads the values that its events change.
    follow(isSignedIn ? { serverUrl, secret, account } : undefined, signOut);
  });
}
