import { randomBytes } from "node:crypto";

/** The header with the id of a request. Clients may send it; every response has it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** Visible ASCII, which is safe to write to any log. */
const VALID_ID = /^[\x21-\x7e]{1,128}$/;

/** Prefix of the ids that this process generates; unique to the process. */
const PREFIX = `${randomBytes(6).toString("hex")}-`;

let count = 0;

/** Returns the id that the client sent if it is 1 to 128 characters of visible ASCII, and a new id otherwise. */
export function requestIdOf(given: string | undefined): string {
  if (given !== undefined && VALID_ID.test(given)) return given;
  count++;
  return PREFIX + count;
}
