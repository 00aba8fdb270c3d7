import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { computeEventId } from "./event-id.js";
import { type EventRow, findFirstEventAfter, findLastEventUpTo, readEventLogState } from "./event-repository.js";

/** A place between two events of an event log. */
interface Cursor {
  readonly logId: string;
  /** The place is after all events up to this position. */
  readonly position: bigint;
  /** The last event before the place; undefined if the log has none. Shows whether a log is the one that the cursor was made for. */
  readonly last: { readonly position: bigint; readonly check: string } | undefined;
}

/** The number of bytes of an event's id that a cursor contains. */
const CHECK_BYTES = 8;

const LOG_ID_BYTES = 16;
const POSITION_BYTES = 8;

/** Returns opaque text, which contains no secret, for the place after a position. */
export async function createCursorAtPosition(db: Executor, position: bigint): Promise<string> {
  const [{ logId }, last] = await Promise.all([readEventLogState(db), findLastEventUpTo(db, position)]);
  return formatCursor({
    logId,
    position,
    last: last && { position: BigInt(last.position), check: checkOf(logId, last) },
  });
}

export function createCursorAfterEvent(logId: string, event: EventRow): string {
  const position = BigInt(event.position);
  return formatCursor({ logId, position, last: { position, check: checkOf(logId, event) } });
}

/**
 * Returns the position of a cursor. Does not check whether events after that position have expired: check this after reading the events, because they
 * can expire in the meantime.
 *
 * @param drawn the last position that was drawn from the sequence of positions.
 * @throws DomainError `EVENT_CURSOR_UNKNOWN` if the text is not a cursor for this log
 */
export async function requireCursorPosition(db: Executor, text: string, drawn: bigint): Promise<bigint> {
  const cursor = parseCursor(text);
  const isKnown = cursor !== undefined && cursor.position <= drawn && (await isOfLog(db, cursor));
  if (!isKnown) throw new DomainError("EVENT_CURSOR_UNKNOWN", {});
  return cursor.position;
}

/** Whether the log has the event that the cursor names, or had that event before it expired. */
async function isOfLog(db: Executor, { logId, position, last }: Cursor): Promise<boolean> {
  // Searches up to `position`, not only up to `last`: after a restore, the log can have other events between the two positions.
  const found = await (last === undefined ? findFirstEventAfter(db, 0n) : findLastEventUpTo(db, position));
  // Must be read after the events, because events can expire between the two statements.
  const state = await readEventLogState(db);
  if (logId !== state.logId) return false;
  if (last === undefined) return state.lastDeleted === 0n && (found === undefined || BigInt(found.position) > position);
  if (last.position <= state.lastDeleted) return found === undefined || BigInt(found.position) <= state.lastDeleted;
  return found?.position === String(last.position) && checkOf(logId, found) === last.check;
}

function checkOf(logId: string, event: EventRow): string {
  return computeEventId(logId, event)
    .replaceAll("-", "")
    .slice(0, CHECK_BYTES * 2);
}

function formatCursor({ logId, position, last }: Cursor): string {
  const bytes = [Buffer.from(logId, "hex"), bytesOf(position)];
  if (last !== undefined) bytes.push(bytesOf(last.position), Buffer.from(last.check, "hex"));
  return Buffer.concat(bytes).toString("base64url");
}

function parseCursor(text: string): Cursor | undefined {
  const bytes = Buffer.from(text, "base64url");
  const short = LOG_ID_BYTES + POSITION_BYTES;
  const long = short + POSITION_BYTES + CHECK_BYTES;
  if ((bytes.length !== short && bytes.length !== long) || bytes.toString("base64url") !== text) return undefined;
  const logId = bytes.subarray(0, LOG_ID_BYTES).toString("hex");
  const position = bytes.readBigInt64BE(LOG_ID_BYTES);
  if (bytes.length === short) return { logId, position, last: undefined };
  const check = bytes.subarray(short + POSITION_BYTES).toString("hex");
  return { logId, position, last: { position: bytes.readBigInt64BE(short), check } };
}

function bytesOf(position: bigint): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeBigInt64BE(position);
  return bytes;
}
