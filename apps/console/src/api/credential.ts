import { signal } from "@preact/signals";

const STORAGE_KEY = "calltrack-credential";

/**
 * The API key or access token of this tab; undefined if nobody is signed in. `sessionStorage` keeps it until the tab is closed. It
 * is never part of an address.
 */
export const credential = signal(sessionStorage.getItem(STORAGE_KEY) ?? undefined);

/** Why the sign-in form is shown again; undefined if there is no reason to tell. */
export const signOutReason = signal<string | undefined>(undefined);

/** Uses a credential for all further requests. */
export function signIn(secret: string): void {
  sessionStorage.setItem(STORAGE_KEY, secret);
  signOutReason.value = undefined;
  credential.value = secret;
}

/**
 * Forgets the credential.
 *
 * @param reason shown to the user, such as the server's message for an expired key.
 */
export function signOut(reason?: string): void {
  sessionStorage.removeItem(STORAGE_KEY);
  signOutReason.value = reason;
  credential.value = undefined;
}
