/** Parses the URL at which other systems reach the server. Returns the URL without a trailing slash, or undefined if the text is malformed. */
export function parsePublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) return undefined;
  return url.username === "" && url.password === "" ? url.href.replace(/(?<!\/)\/+$/, "") : undefined;
}
