/** A registered name or an IP address, and a port (RFC 9110 section 7.2), without what would need percent-encoding. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Most requests name the same host. */
let lastHost = "";

/** Whether a host and port, of a Host header or an `:authority`, can be part of a URL. */
export function isHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastHost = text;
  return true;
}
