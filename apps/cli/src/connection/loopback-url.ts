/** Reports whether the URL of a server names this machine. */
export function isLoopbackUrl(server: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(server).hostname);
}
