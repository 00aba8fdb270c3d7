import { STATUS_CODES } from "node:http";

/** Header fields of an answer by their names; a list is sent as one field line each. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** RFC 9110 section 5.5: what else could end the line, or is no byte. */
const NOT_ALLOWED = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * A status line with field lines, without the empty line behind them.
 *
 * @throws TypeError for a value that cannot be sent.
 */
export function formatHead(status: number, headers: AnswerHeaders): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === "string") text += formatField(name, value);
    else for (const each of value) text += formatField(name, each);
  }
  return text;
}

/**
 * A field line.
 *
 * @throws TypeError for a value that cannot be sent.
 */
export function formatField(name: string, value: string): string {
  if (NOT_ALLOWED.test(value)) throw new TypeError(`the value of the header ${name} cannot be sent`);
  return `${name}: ${value}\r\n`;
}

let dateLine = "";
let dateSecond = 0;

/** The field line that tells the time (RFC 9110 section 6.6.1). */
export function formatDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `date: ${new Date(now).toUTCString()}\r\n`;
  }
  return dateLine;
}
