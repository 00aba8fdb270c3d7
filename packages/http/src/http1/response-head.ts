import { STATUS_CODES } from "node:http";
import type { HttpHeaders } from "../exchange.js";
import { httpDate } from "../http-date.js";
import { requireSendable } from "../require-sendable.js";

/** The cached heads of frozen headers, each with its status. */
const frozenHeads = new WeakMap<HttpHeaders, { readonly status: number; readonly text: string }>();

/**
 * Formats a status line with field lines, without the empty line after them. Heads of frozen headers are cached.
 *
 * @throws TypeError if a value has forbidden characters.
 */
export function formatHead(status: number, headers: HttpHeaders): string {
  if (!Object.isFrozen(headers)) return createHead(status, headers);
  const cached = frozenHeads.get(headers);
  if (cached?.status === status) return cached.text;
  const text = createHead(status, headers);
  frozenHeads.set(headers, { status, text });
  return text;
}

function createHead(status: number, headers: HttpHeaders): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${formatFields(headers)}`;
}

/**
 * Formats field lines. A list becomes one line per value.
 *
 * @throws TypeError if a value has forbidden characters.
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
 * Formats a field line.
 *
 * @throws TypeError if the value has forbidden characters.
 */
export function formatField(name: string, value: string): string {
  requireSendable(name, value);
  return `${name}: ${value}\r\n`;
}

let date = "";
let dateLine = "";

/** Formats the `date` field line for the current time. */
export function formatDate(): string {
  const now = httpDate();
  if (now !== date) {
    date = now;
    dateLine = `date: ${now}\r\n`;
  }
  return dateLine;
}
