import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Client } from "@connectrpc/connect";
import type { RowFields } from "../import/import-row.js";

/** Maximum number of pages of calls to list for one batch. Calls that are not in the batch may have started in its period. */
const MAX_PAGES = 3;

/** The recorded calls that match the records of a batch. */
export interface RecordedCalls {
  /** Returns the recorded call that matches a record, which the service must have accepted. */
  find(fields: RowFields): Promise<Call>;
}

/**
 * Finds the recorded calls of a batch. Lists the calls of the batch's period, because that takes few requests. Finds each of the others by a
 * repeated create request, which even a key that may not read calls can send.
 */
export function createRecordedCalls(client: Client<typeof CallService>, batch: readonly RowFields[]): RecordedCalls {
  const calls = new Map<string, Call>();
  const accounts = new Map<string, Promise<void>>();

  async function list(accountId: string): Promise<void> {
    const starts = batch.map(({ startedAt }) => timestampMs(startedAt as Timestamp));
    const [from, to] = [Math.min(...starts), Math.max(...starts) + 1].map(timestampFromMs) as [Timestamp, Timestamp];
    let pageToken = "";
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const found = await client.listCalls({ accountId, from, to, pageToken });
      for (const call of found.calls) if (call.phoneSystemId === undefined) calls.set(keyOf(call), call);
      pageToken = found.nextPageToken;
      if (pageToken === "") break;
    }
  }

  return {
    async find(fields) {
      const known = calls.get(keyOf(fields));
      if (known !== undefined) return known;
      const call = await client.createCall(fields);
      if (!accounts.has(call.accountToken)) {
        // If the key may not read calls, or the list fails, each call is found by a request of its own.
        accounts.set(
          call.accountToken,
          list(call.accountToken).catch(() => {}),
        );
      }
      await accounts.get(call.accountToken);
      return call;
    },
  };
}

function keyOf({ callId, trackingNumber }: Pick<Call, "callId" | "trackingNumber"> | RowFields): string {
  return `${callId} ${trackingNumber}`;
}
