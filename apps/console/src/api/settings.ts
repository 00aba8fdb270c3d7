/** The server's sign-in methods, which the server writes into `index.html`. */
export interface SignInSettings {
  /** Whether the server requires a credential. False if the server runs with `AUTH=none`. */
  readonly auth: boolean;
  /** Whether the server accepts API keys. */
  readonly keys: boolean;
  /** The URL of the OpenID Connect issuer; null if the server does not offer sign-in with an issuer. */
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly audience: string | null;
  /** The scopes to request from the issuer, separated by spaces. */
  readonly scope: string | null;
}

const NO_AUTH: SignInSettings = { auth: false, keys: false, issuer: null, clientId: null, audience: null, scope: null };

/**
 * Reads the settings in `index.html`. If the page contains no settings, because it comes from Vite's development server, the console requires no
 * sign-in.
 */
function readSettings(): SignInSettings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="calltrack-settings"]')?.content ?? "";
  return content.startsWith('{"') ? (JSON.parse(content) as SignInSettings) : NO_AUTH;
}

export const signInSettings = readSettings();

/** The server's base URL: the part of the page's URL before `/console/`, without a slash at the end. */
export const serverUrl = new URL("..", location.href).href.replace(/\/$/, "");
