import { hash } from "node:crypto";
import { type LegName, parseLegName } from "@calltrack/domain";
import { isPlausibleReportTime } from "../providers/form-fields.js";

/**
 * The facts about a call that the URLs in a response contain. Later requests therefore need neither state nor a lookup of the tracking number.
 * Providers sign these URLs. An operator's own phone system sends the reference in an unsigned field, so its values are only hints.
 */
export interface CallReference {
  /** `ABSENT_ACCOUNT_ID` if the number's account was unknown when Calltrack routed the call. */
  readonly accountId: number;
  /** Calltrack's id for the call. */
  readonly callId: string;
  /** When the call started; the arrival of its first request if the phone system does not say. */
  readonly startedAt: Date;
  /** In E.164 format. */
  readonly trackingNumber: string;
  /** The leg that the request is about; the first leg of a step if it is about the whole step. */
  readonly leg: LegName;
  /** Whether the response to the voice request plays the notice that the call is recorded. False in the reference of an operator's own phone system. */
  readonly hasNotice: boolean;
}

/**
 * Returns Calltrack's id for a call, a UUIDv8 (RFC 9562 section 5.8). It depends only on the phone system and its id for the call, so that
 * repeated requests get the same id, even without the database.
 */
export function deriveCallId(phoneSystemId: string, providerCallId: string): string {
  const bytes = hash("sha256", `${phoneSystemId}\n${providerCallId}`, "buffer").subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Writes a reference as the query of a URL, in unreserved characters only (RFC 3986 section 2.3).
 *
 * @param leg the leg that the URL is about; undefined to name none.
 */
export function writeCallReference(
  { accountId, callId, startedAt, trackingNumber, hasNotice }: CallReference,
  leg?: LegName,
): string {
  const origin = `account=${accountId}&call=${callId}&ring=${startedAt.getTime()}&number=${trackingNumber.slice(1)}`;
  return leg === undefined ? origin : `${origin}&step=${leg}${hasNotice ? "&notice=1" : ""}`;
}

/** Matches the query that `writeCallReference` returns. Times in milliseconds have 13 digits from the year 2001 to 2286. */
const REFERENCE =
  /^account=(\d{1,10})&call=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})&ring=(\d{13})&number=(\d{1,15})(?:&step=([\w.]{1,10})(&notice=1)?)?$/;

/**
 * Parses a call reference; undefined if it is malformed. The default leg is `original`. An implausible start is replaced by the time of arrival.
 *
 * @param maxBehindMs how long before `now` a call can have started; see `isPlausibleReportTime`.
 */
export function parseCallReference(query: string, now: Date, maxBehindMs?: number): CallReference | undefined {
  const [, account, callId, ring, digits, name = "original", notice] = REFERENCE.exec(query) ?? [];
  const [accountId, leg] = [Number(account), parseLegName(name)];
  if (callId === undefined || accountId > MAX_ACCOUNT_ID || leg === undefined) return undefined;
  const startedAt = isPlausibleReportTime(Number(ring), now, maxBehindMs) ? new Date(Number(ring)) : now;
  return { accountId, callId, startedAt, trackingNumber: `+${digits}`, leg, hasNotice: notice !== undefined };
}

/** The maximum of PostgreSQL's type `integer`. */
const MAX_ACCOUNT_ID = 2 ** 31 - 1;
