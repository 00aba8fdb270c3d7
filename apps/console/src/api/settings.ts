/** The server's sign-in methods, which it writes into the page. */
export interface Settings {
  /** False for a server with `AUTH=none`, which asks for no credential. */
  readonly auth: boolean;
  /** Whether the server accepts API keys. */
  readonly keys: boolean;
  /** The OpenID Connect issuer; null if the console cannot sign in with one. */
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly audience: string | null;
  /** The scopes to request from the issuer, separated by spaces. */
  readonly scope: string | null;
}

const NO_AUTH: Settings = { auth: false, keys: false, issuer: null, clientId: null, audience: null, scope: null };

/** A page that Vite serves for development has no settings. */
function readSettings(): Settings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="calltrack-settings"]')?.content ?? "";
  return content.startsWith('{"') ? (JSON.parse(content) as Settings) : NO_AUTH;
}

export const settings = readSettings();

/** The part of the page's URL before `/console/`, without a slash at the end. */
export const serverUrl = new URL("..", location.href).href.replace(/\/$/, "");
