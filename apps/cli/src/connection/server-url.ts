/** Parses the http or https URL of a server. The result has no trailing slash. Returns undefined for other text, and for a URL with credentials. */
export function parseServerUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.search}${url.hash}${url.username}${url.password}` === "";
  return isServer ? url.href.replace(/(?<!\/)\/+$/, "") : undefined;
}
