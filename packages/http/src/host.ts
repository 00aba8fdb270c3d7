/** A registered name or an IP address with an optional port (RFC 9110 section 7.2). Rejects characters that need percent-encoding. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** The last valid host. Most requests have the same one. */
let lastHost = "";

/** Whether the value of a Host header or an `:authority` is a valid part of a URL. */
export function isValidHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastHost = text;
  return true;
}
