import { visibleText } from "@calltrack/domain/visible-text";

/** Writes JSON that cannot manipulate the terminal: also escapes the characters that `JSON.stringify` leaves. */
export function jsonText(value: unknown, space?: number): string {
  // Line breaks are not in strings, but indent the JSON.
  return `${JSON.stringify(value, null, space)}`.replace(/.+/g, visibleText);
}
