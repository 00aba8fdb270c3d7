/** Characters that a field value must not have (RFC 9110 section 5.5): control characters, which could end the line, and non-Latin-1. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws a `TypeError` if the value has forbidden characters. */
export function requireSendable(name: string, value: string): void {
  if (FORBIDDEN.test(value)) throw new TypeError(`The value of the header ${name} has forbidden characters.`);
}
