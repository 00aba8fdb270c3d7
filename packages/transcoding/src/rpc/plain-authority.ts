const PORT = "(?::\\d{1,4}|:[1-5]\\d{4}|:6[0-4]\\d{3})?";
const PLAIN = new RegExp(`^(?:[\\w.-]+|\\[[\\da-f:]+\\])${PORT}$`, "i");

/** Whether a URL can be made of the host and port that a request names; it may be so of others that are not taken for one here. */
export function isPlainAuthority(authority: string | undefined): boolean {
  return authority !== undefined && PLAIN.test(authority);
}
