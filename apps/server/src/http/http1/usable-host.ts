const PORT = "(?::\\d{1,4}|:[1-5]\\d{4}|:6[0-4]\\d{3})?";
const PLAIN = new RegExp(`^(?:[\\w.-]+|\\[[\\da-f:]+\\])${PORT}$`, "i");

/** Whether a URL can be built of the host and port that a request names. */
export function isUsableHost(authority: string): boolean {
  // Nearly all are plain, which takes far less time to tell.
  return PLAIN.test(authority) || URL.canParse(`http://${authority}`);
}
