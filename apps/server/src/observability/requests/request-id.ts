import { randomBytes } from "node:crypto";

/** Where a client says what its request is called, and an answer says what it was called. */
export const REQUEST_ID_HEADER = "x-request-id";

/** Visible ASCII, which can be written to any log. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** Begins the ids of this process: no two processes have the same. */
const PREFIX = `${randomBytes(6).toString("hex")}-`;

let count = 0;

/** The id of a request: what its client calls it if that is 1 to 128 characters of visible ASCII, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === "string" && ACCEPTABLE.test(given)) return given;
  count++;
  return PREFIX + count;
}
