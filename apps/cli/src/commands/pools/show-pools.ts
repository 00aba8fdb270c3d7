import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { type Pool, PoolSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { findUnrecordedCallsWarning } from "@calltrack/domain/unrecorded-calls";
import type { Invocation } from "../../invocation/invocation.js";
import { rowFromMessage } from "../../output/output-row.js";
import { listPhoneNumbers } from "../numbers/list-phone-numbers.js";
import { createPoolListView, poolView } from "./pool-view.js";

/** Maximum number of phone numbers to read one by one. If more are needed, all phone numbers of the account are listed. */
const MAX_SINGLE_LOOKUPS = 20;

/** Prints a pool. A table shows the pool's phone number instead of the number's id. */
export async function showPool(invocation: Invocation, accountId: string, pool: Pool): Promise<void> {
  if (invocation.options.output !== "table") return await invocation.show(poolView, pool);
  const numbers = new Map<string, string>();
  await addNumbers(invocation, accountId, [pool], numbers);
  const { id = null, original_number_id = null, ...fields } = rowFromMessage(PoolSchema, pool);
  const original_number = numbers.get(pool.originalNumberId) ?? original_number_id;
  await invocation.showRow({ id, original_number, ...fields });
}

/** Prints a pool that was created or updated, with a warning on stderr if it is recorded but not prompted. */
export async function showChangedPool(invocation: Invocation, accountId: string, pool: Pool): Promise<void> {
  await showPool(invocation, accountId, pool);
  const warning = findUnrecordedCallsWarning(pool);
  if (warning !== undefined) invocation.notify(`warning: ${warning}\n`);
}

/** Prints the pools of an account. A table shows phone numbers instead of their ids. */
export async function showPools(
  invocation: Invocation,
  accountId: string,
  pages: AsyncIterable<Pool[]>,
): Promise<void> {
  if (invocation.options.output !== "table") return await invocation.showList(poolView, pages);
  const numbers = new Map<string, string>();
  await invocation.showList(createPoolListView(numbers), withNumbers(invocation, accountId, pages, numbers));
}

/** Yields the pages unchanged, after adding the phone numbers of each page's pools to `numbers`. */
async function* withNumbers(
  invocation: Invocation,
  accountId: string,
  pages: AsyncIterable<Pool[]>,
  numbers: Map<string, string>,
): AsyncGenerator<Pool[]> {
  for await (const pools of pages) {
    await addNumbers(invocation, accountId, pools, numbers);
    yield pools;
  }
}

async function addNumbers(
  invocation: Invocation,
  accountId: string,
  pools: readonly Pool[],
  numbers: Map<string, string>,
): Promise<void> {
  const ids = [...new Set(pools.map(({ originalNumberId }) => originalNumberId))].filter((id) => !numbers.has(id));
  if (ids.length > MAX_SINGLE_LOOKUPS) {
    for await (const page of listPhoneNumbers(invocation, accountId)) {
      for (const { id, phoneNumber } of page) numbers.set(id, phoneNumber);
    }
    return;
  }
  const client = invocation.client(PhoneNumberService);
  const found = ids.map((phoneNumberId) => client.getPhoneNumber({ accountId, phoneNumberId }));
  for (const { id, phoneNumber } of await Promise.all(found)) numbers.set(id, phoneNumber);
}
