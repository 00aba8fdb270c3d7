import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Client } from "@connectrpc/connect";
import type { RowFields } from "../import/import-row.js";

/** Max pages of calls to list for one batch. Other calls can have started between those of a batch. */
const MAX_PAGES = 3;

/** The calls of a batch that are recorded. */
export interface RecordedCalls {
  /** Returns the recorded call of a record that the service did not refuse. */
  find(fields: RowFields): Promise<Call>;
}

/**
 * Finds the recorded calls of a batch. Lists those of their time, because that takes a few requests. A repeated request
 * finds each of the others, also for a key that must not read calls.
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
        // Without the scope to read calls, or if the list fails, each call is found by itself.
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
