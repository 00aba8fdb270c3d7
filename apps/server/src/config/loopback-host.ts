const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Whether a server that listens on this host is reachable only from the same machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
