/** Formats an E.164 number for display. Inserts non-breaking spaces into North American numbers: `+1 415 555 0100`. Other numbers stay unchanged. */
export function formatPhoneNumber(number: string): string {
  return number.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, "+1\u00a0$1\u00a0$2\u00a0$3");
}

/** Removes the spaces from a phone number that a person typed. */
export function stripSpaces(text = ""): string {
  return text.replace(/\s/g, "");
}
