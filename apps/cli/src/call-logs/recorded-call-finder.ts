import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Client } from "@connectrpc/connect";
import type { RowFields } from "../import/import-row.js";

/**
 * Maximum number of pages of calls to list for one batch. Without a maximum, the list could be long, because many calls outside the batch may have
 * started in the same period.
 */
const MAX_PAGES = 3;

export interface RecordedCallFinder {
  /** Returns the recorded call with the call id and tracking number in `fields`. The service must have accepted a request with `fields`. */
  find(fields: RowFields): Promise<Call>;
}

/**
 * Creates a finder that lists the calls that started in the period of a batch, because a list takes few requests. The finder gets any other call by
 * repeating the create request of that call. Even an API key without permission to read calls may send create requests.
 */
export function createRecordedCallFinder(
  client: Client<typeof CallService>,
  batch: readonly RowFields[],
): RecordedCallFinder {
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
        // If the list fails, for example because the API key may not read calls, each call is found by its own create request.
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
