/** Formats a number in E.164 format for reading: North American numbers as `+1 415 555 0100` on one line, others unchanged. */
export function phoneNumberText(number: string): string {
  return number.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, "+1\u00a0$1\u00a0$2\u00a0$3");
}

/** Returns a number that a person typed without its spaces; empty if there is none. */
export function typedNumber(text = ""): string {
  return text.replace(/\s/g, "");
}
