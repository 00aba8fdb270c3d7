let text = "";
let textSecond = 0;

/** Formats the current time for a `date` header (RFC 9110 section 6.6.1). */
export function httpDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== textSecond) {
    textSecond = second;
    text = new Date(now).toUTCString();
  }
  return text;
}
