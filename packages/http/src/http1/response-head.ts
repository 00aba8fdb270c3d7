import { STATUS_CODES } from "node:http";
import type { HttpHeaders } from "../exchange.js";
import { httpDate } from "../http-date.js";

/** RFC 9110 section 5.5: other characters could end the line, or are no byte. */
const NOT_ALLOWED = /[^\t\x20-\x7e\x80-\xff]/;

/** Heads of frozen headers, with the status that they were formatted for. */
const frozenHeads = new WeakMap<HttpHeaders, { readonly status: number; readonly text: string }>();

/**
 * A status line with field lines, without the empty line behind them. Those of frozen headers are formatted once.
 *
 * @throws TypeError for a value that cannot be sent.
 */
export function formatHead(status: number, headers: HttpHeaders): string {
  if (!Object.isFrozen(headers)) return createHead(status, headers);
  const known = frozenHeads.get(headers);
  if (known?.status === status) return known.text;
  const text = createHead(status, headers);
  frozenHeads.set(headers, { status, text });
  return text;
}

function createHead(status: number, headers: HttpHeaders): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${formatFields(headers)}`;
}

/**
 * Field lines; a list has one for each value.
 *
 * @throws TypeError for a value that cannot be sent.
 */
export function formatFields(headers: HttpHeaders): string {
  let text = "";
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
  requireSendable(name, value);
  return `${name}: ${value}\r\n`;
}

/** Throws a `TypeError` for a value that cannot be sent. */
export function requireSendable(name: string, value: string): void {
  if (NOT_ALLOWED.test(value)) throw new TypeError(`the value of the header ${name} cannot be sent`);
}

let date = "";
let dateLine = "";

/** The field line of `date`. */
export function formatDate(): string {
  const now = httpDate();
  if (now !== date) {
    date = now;
    dateLine = `date: ${now}\r\n`;
  }
  return dateLine;
}
