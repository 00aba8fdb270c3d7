import { visibleText } from "@calltrack/domain/visible-text";

/** Formats JSON that cannot manipulate the terminal: escapes even the control characters that `JSON.stringify` leaves. */
export function jsonText(value: unknown, space?: number): string {
  // `JSON.stringify` escapes line breaks in strings, so the remaining ones only separate lines.
  return `${JSON.stringify(value, null, space)}`.replace(/.+/g, visibleText);
}
