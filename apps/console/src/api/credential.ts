import { signal } from "@preact/signals";

const STORAGE_KEY = "calltrack-credential";

/**
 * The API key or access token of this browser tab; undefined if nobody is signed in. `sessionStorage` keeps the value until the tab is closed.
 * The value never appears in a URL.
 */
export const credential = signal(sessionStorage.getItem(STORAGE_KEY) ?? undefined);

/** Why the last sign-in failed or ended, for the sign-in form; undefined if the user signed out or is signed in. */
export const signOutReason = signal<string | undefined>(undefined);

export function signIn(secret: string): void {
  sessionStorage.setItem(STORAGE_KEY, secret);
  signOutReason.value = undefined;
  credential.value = secret;
}

/** @param reason shown in the sign-in form, such as the server's message about an expired key. */
export function signOut(reason?: string): void {
  sessionStorage.removeItem(STORAGE_KEY);
  signOutReason.value = reason;
  credential.value = undefined;
}
