import { inventoryCarrier } from "../../apps/server/dist/api/inventory/inventory-carrier.js";
import { DEFAULT_POOL_RULES } from "../../apps/server/dist/config/pool-rules.js";
import { openDatabase } from "../../apps/server/dist/database/open-database.js";
import { createLogger } from "../../apps/server/dist/observability/log.js";
import { createPassRunner } from "../../apps/server/dist/pool-management/pass-runner.js";
import type { LoadGenerator } from "../load/load.ts";
import type { MeasureForSeconds } from "../rounds.ts";
import { poolsPath } from "../workloads/json-workloads.ts";
import { requestJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import type { ScaleOperation } from "./scale-operation.ts";
import type { ScaledServer } from "./scaled-server.ts";

/** Number of requests for a round. Consecutive rounds use different requests. */
const REQUESTS = 4_000;

/** Passes per round, which is also the runner's batch size. */
const PASSES = 100;

const LOOKS = 1000;

/** Measures the median duration of requests in microseconds. Each request is sent after the response to the previous one. */
export function measureRequests(
  { server, seed, deepToken }: ScaledServer,
  operation: ScaleOperation,
  generateLoad: LoadGenerator,
): MeasureForSeconds<number> {
  const all = operation.requests(seed, deepToken);
  let offset = 0;
  return async (seconds) => {
    const requests = Array.from({ length: Math.min(REQUESTS, all.length) }, (_, index) => {
      return all[(offset + index) % all.length] as LoadRequest;
    });
    offset += requests.length;
    const expectRows = async () => {
      const found = [JSON.parse(await requestJson(server.port, requests[0] as LoadRequest))].flat().length;
      if (found < operation.minRows) throw new Error(`${operation.title}: a response has ${found} pools`);
    };
    await expectRows();
    const result = await generateLoad({ port: server.port, protocol: "json", requests, concurrency: 1, seconds });
    await expectRows();
    return result.p50 * 1000;
  };
}

/** Measures the export of the largest account, in microseconds per pool. */
export function measureExport({ server, seed }: ScaledServer): MeasureForSeconds<number> {
  return async () => {
    const begin = performance.now();
    const response = await fetch(`http://127.0.0.1:${server.port}${poolsPath(seed.largestAccount)}:export`, {
      headers: { accept: "application/x-ndjson" },
    });
    let rows = 0;
    for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === 10) rows++;
    const ms = performance.now() - begin;
    if (rows !== seed.largestAccountPools) throw new Error(`an export has ${rows} rows and status ${response.status}`);
    return (ms * 1000) / rows;
  };
}

/**
 * Creates a pass runner in this process on the database of a server.
 *
 * @returns two functions that return a duration in microseconds. `pass` measures how long it takes to find one pool that is due for a pass, and to
 *   run its pass, which changes nothing. `look` measures a search that finds no pool that is due.
 */
export async function measurePassRunner(resources: AsyncDisposableStack, { databaseUrl, client, seed }: ScaledServer) {
  const database = openDatabase({ kind: "postgres", url: databaseUrl });
  resources.defer(() => database.close());
  const tools = { carrier: inventoryCarrier, rules: DEFAULT_POOL_RULES };
  const runner = createPassRunner(database.db, tools, { observe() {} }, await createLogger("warn"));
  let offset = 0;
  return {
    async pass() {
      const due = seed.trackedPools.slice(offset, offset + PASSES);
      offset = (offset + PASSES) % seed.trackedPools.length;
      await client.query(MAKE_DUE, [due.map((pool) => pool.account_id), due.map((pool) => pool.pool_id)]);
      return takeTime(due.length, () => runner.runDue());
    },
    async look() {
      return takeTime(LOOKS, async () => {
        for (let look = 0; look < LOOKS; look++) await runner.runNewlyDue();
      });
    },
  };
}

async function takeTime(count: number, run: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await run();
  return ((performance.now() - begin) * 1000) / count;
}

const MAKE_DUE = `
  update pool_passes pass set due_at = now()
  from unnest($1::integer[], $2::uuid[]) due (account_id, pool_id)
  where pass.account_id = due.account_id and pass.pool_id = due.pool_id`;
