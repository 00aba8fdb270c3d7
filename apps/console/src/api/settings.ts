/** The sign-in methods of the server. The server writes them into the page. */
export interface Settings {
  /** Whether the server authenticates callers. */
  readonly auth: boolean;
  /** Whether it accepts API keys. */
  readonly keys: boolean;
  /** The OpenID Connect issuer; null if the console cannot sign in with one. */
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly audience: string | null;
  /** The scopes to request at the issuer, separated by spaces. */
  readonly scope: string | null;
}

const NO_AUTH: Settings = { auth: false, keys: false, issuer: null, clientId: null, audience: null, scope: null };

/** Reads the settings from the page. A page that Vite serves for development has none. */
function readSettings(): Settings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="calltrack-settings"]')?.content ?? "";
  return content.startsWith('{"') ? (JSON.parse(content) as Settings) : NO_AUTH;
}

export const settings = readSettings();

/** The address of the server: the part of the page's address before `/console/`. It has no slash at the end. */
export const serverUrl = new URL("..", location.href).href.replace(/\/$/, "");
