import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";

/** Formats JSON that cannot manipulate the terminal: escapes even the control characters that `JSON.stringify` leaves. */
export function formatJsonText(value: unknown, space?: number): string {
  // `JSON.stringify` escapes line breaks in strings, so the remaining line breaks only separate lines of the document.
  return `${JSON.stringify(value, null, space)}`.replace(/.+/g, escapeForTerminal);
}
