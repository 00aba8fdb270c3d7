import { effect } from "@preact/signals";
import { credential, signOut } from "../api/credential";
import { caller, hasScope } from "../api/identity";
import { serverUrl, settings } from "../api/settings";
import { follow } from "../events/live";
import { route } from "../routing/route";
import { accountOf } from "./current-page";

/** Follows the events of the account in the address, or of all accounts, as long as a caller is signed in who may read. */
export function followRoute(): void {
  effect(() => {
    const secret = credential.value;
    const account = accountOf(route.value);
    const isSignedIn = (!settings.auth || secret !== undefined) && caller.value !== undefined && hasScope("read");
    // The effect runs before pages are drawn, so that a tab joins a feed before it loads the values that the events change.
    follow(isSignedIn ? { serverUrl, secret, account } : undefined, signOut);
  });
}
