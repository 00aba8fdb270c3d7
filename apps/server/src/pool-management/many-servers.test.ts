import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import type { ApiClient, CallTrackerJson, PoolJson } from "../testing/api-client.js";
import { createDataLocation } from "../testing/data-location.js";
import { createJsonClient } from "../testing/json-client.js";
import { RefusedError } from "../testing/refusal.js";
import { createAutomanagedPoolFields, uniqueToken } from "../testing/request-fields.js";
import { type Environment, type ServerProcess, startServerProcess } from "../testing/server-process.js";

/** The number of pools. `CHAOS_POOLS=500 CHAOS_SECONDS=180` makes the test larger. */
const POOLS = Number(process.env.CHAOS_POOLS ?? 20);
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 5);

const SERVERS = 3;
const KILL_EVERY_MS = 1500;
const SOURCES = ["google", "bing", "news", "blog", "radio", "tv"];

/** Pools of the scarce area code share 60 % of the numbers that they need; pools of the ample area code have enough numbers. */
const SCARCE = "901";
const AMPLE = "900";

const ENVIRONMENT = {
  PASS_INTERVAL: "200ms",
  GRACE_PERIOD: "1s",
  VISIT_THRESHOLD: "0",
  CLOCK: "virtual",
  LOG_LEVEL: "error",
};

/** The expected final state of a pool. */
type WantedPool = ReturnType<typeof plan>[number];

test("three servers on one database, with one killed every few seconds, reach the same state as a single server", {
  timeout: (SECONDS + 120) * 1000,
}, async () => {
  await using many = await createDataLocation("postgres");
  const wanted = await changeWhileKillingServers(many.environment);
  await using server = await startServerProcess({ ...many.environment, ...ENVIRONMENT });
  // The leases of killed servers expire in this time.
  await createJsonClient(server.url).advanceClock({ by: "60s" });
  const pools = await settle(server, many.environment);
  await expectSoundNumbers(many.environment);
  await expectNothingLeftToDo(many.environment);
  await using one = await createDataLocation("postgres");
  await using single = await startServerProcess({ ...one.environment, ...ENVIRONMENT });
  await createPools((call) => call(createJsonClient(single.url)), wanted);
  const alone = await settle(single, one.environment);
  for (const { property, areaCode } of wanted) {
    // Which pool gets a scarce number depends on timing.
    if (areaCode === AMPLE) expect(holders(pools, property), property).toEqual(holders(alone, property));
  }
  const scarce = (all: Pools) =>
    wanted.filter(({ areaCode }) => areaCode === SCARCE).flatMap((p) => all.get(p.property));
  expect(scarce(pools)).toHaveLength(scarce(alone).length);
});

type Pools = ReadonlyMap<string, readonly CallTrackerJson[]>;

/** Returns the status and source of each call tracker of a pool, sorted. Omits the ids, which differ between databases. */
function holders(pools: Pools, property: string): string[] {
  return (pools.get(property) ?? []).map(({ source, status }) => `${status} ${source}`).toSorted();
}

/** Changes visits, sizes and utilization through several servers. From time to time, one of them is killed. */
async function changeWhileKillingServers(environment: Environment): Promise<readonly WantedPool[]> {
  const servers: ServerProcess[] = [];
  for (let count = 0; count < SERVERS; count++)
    servers.push(await startServerProcess({ ...environment, ...ENVIRONMENT }));
  const wanted = plan();
  const end = Date.now() + SECONDS * 1000;
  try {
    const retrying = retryOn(servers);
    const names = await createPools(retrying, wanted);
    await Promise.all([
      applyRandomChanges(retrying, wanted, names, end),
      killInTurn(servers, { ...environment, ...ENVIRONMENT }, end),
    ]);
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
  return wanted;
}

function plan() {
  return Array.from({ length: POOLS }, (_, index) => ({
    property: `property-${index}`,
    areaCode: index % 2 === 0 ? AMPLE : SCARCE,
    size: 2 + (index % 5),
    utilization: 0.5 + (index % 3) / 4,
    /** The visits of each source; all counts differ. */
    visits: new Map(SOURCES.map((source, place) => [source, 10 + place] as const)),
  }));
}

type Api = <T>(call: (api: ApiClient) => Promise<T>) => Promise<T>;

/** Returns a function that sends each request to a random server, and retries if that server is down. The requests must be idempotent. */
function retryOn(servers: readonly ServerProcess[]): Api {
  return async (call) => {
    for (;;) {
      const server = servers[Math.floor(Math.random() * servers.length)] as ServerProcess;
      try {
        return await call(createJsonClient(server.url));
      } catch (error) {
        // A TypeError means that the server is down. `UNAVAILABLE` means that its database connections are closed.
        const isGone =
          error instanceof TypeError || (error instanceof RefusedError && error.refusal.status === "UNAVAILABLE");
        if (!isGone) throw error;
        await pause(20);
      }
    }
  };
}

const ACCOUNT = "chaos";
const ORIGINAL = "+12223334444";

async function createPools(api: Api, wanted: readonly WantedPool[]): Promise<ReadonlyMap<string, PoolJson>> {
  const account = await api((each) => each.createAccount({ account_token: ACCOUNT }));
  await api((each) => each.createPhoneNumber({ account_id: ACCOUNT, phone_number: ORIGINAL }));
  await addNumbers(api, wanted);
  const pools = new Map<string, PoolJson>();
  for (const { property, areaCode, size, utilization, visits } of wanted) {
    const fields = { area_code: areaCode, property_token: property, size, utilization };
    pools.set(property, await api((each) => each.createPool(createAutomanagedPoolFields(account, ORIGINAL, fields))));
    await record(api, property, visits);
  }
  return pools;
}

/** Adds enough numbers for the ample pools at their largest size, and for 60 % of the final need of the scarce pools. */
async function addNumbers(api: Api, wanted: readonly WantedPool[]): Promise<void> {
  const counts = { [AMPLE]: wanted.length * 10, [SCARCE]: Math.floor(wanted.length * 1.2) };
  for (const [areaCode, count] of Object.entries(counts)) {
    const tracking_numbers = Array.from({ length: count }, (_, index) => ({
      phone_number: `+1${areaCode}${String(index).padStart(7, "0")}`,
      area_code: areaCode,
    }));
    await api((each) => each.addTrackingNumbers({ tracking_numbers }));
  }
}

function record(api: Api, property_token: string, visits: ReadonlyMap<string, number>): Promise<unknown> {
  const records = Array.from(visits, ([source, count]) => ({
    event_id: uniqueToken("event"),
    property_token,
    source,
    medium: "x",
    count,
  }));
  return api((each) => each.recordVisits({ account_id: ACCOUNT, visits: records }));
}

/** Until `end`, changes the visits, the size or the utilization of random pools. */
async function applyRandomChanges(
  api: Api,
  wanted: readonly WantedPool[],
  pools: ReadonlyMap<string, PoolJson>,
  end: number,
): Promise<void> {
  const applyChange = async () => {
    while (Date.now() < end) {
      const pool = wanted[Math.floor(Math.random() * wanted.length)] as WantedPool;
      if (Math.random() < 0.3) await resize(api, pool, pools);
      else await promoteSource(api, pool);
      // Without pauses, four loops take all processor time of the machine.
      await pause(20);
    }
  };
  await Promise.all([1, 2, 3, 4].map(applyChange));
  // Concurrent updates of a pool may have been reordered, so the final values are written again.
  for (const pool of wanted) await resize(api, pool, pools);
}

async function resize(api: Api, pool: WantedPool, pools: ReadonlyMap<string, PoolJson>): Promise<void> {
  pool.size = 2 + Math.floor(Math.random() * 5);
  pool.utilization = Math.round(Math.random() * 100) / 100;
  const { size, utilization } = pool;
  const pool_id = pools.get(pool.property)?.id;
  await api((each) => each.updatePool({ account_id: ACCOUNT, pool_id, size, utilization }));
}

/** Gives a source more visits than all others. */
async function promoteSource(api: Api, { property, visits }: WantedPool): Promise<void> {
  const source = SOURCES[Math.floor(Math.random() * SOURCES.length)] as string;
  const more = Math.max(...visits.values()) + 1 - (visits.get(source) ?? 0);
  if (more <= 0) return;
  visits.set(source, (visits.get(source) ?? 0) + more);
  await record(api, property, new Map([[source, more]]));
}

async function killInTurn(servers: ServerProcess[], environment: Environment, end: number): Promise<void> {
  for (let turn = 0; Date.now() + KILL_EVERY_MS < end; turn = (turn + 1) % servers.length) {
    await pause(KILL_EVERY_MS);
    servers[turn]?.kill("SIGKILL");
    servers[turn] = await startServerProcess(environment);
  }
}

/** Waits until the server has finished all passes. Returns the call trackers of each pool, keyed by the `property_token` of the pool. */
async function settle(server: ServerProcess, environment: Environment): Promise<Pools> {
  const api = createJsonClient(server.url);
  await untilQuiet(environment);
  const { entries } = await api.listPools({ account_id: ACCOUNT });
  const trackers = new Map<string, readonly CallTrackerJson[]>();
  for (const { id, property_token } of entries) {
    const list = await api.listCallTrackers({ account_id: ACCOUNT, pool_id: id });
    trackers.set(property_token ?? "", list.entries);
  }
  return trackers;
}

/** Waits until no pool is due within a minute, and no call tracker is in its grace period. */
async function untilQuiet(environment: Environment): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await pause(500);
    const [row] = await query<{ busy: string }>(
      environment,
      `select (select count(*) from pool_passes where due_at < clock_now() + interval '1 minute')
         + (select count(*) from call_trackers where status = 'flagged') as busy`,
    );
    quiet = row?.busy === "0" ? quiet + 1 : 0;
  }
}

async function expectSoundNumbers(environment: Environment): Promise<void> {
  const twice = `select tracking_number from call_trackers group by tracking_number having count(*) > 1`;
  expect(await query(environment, twice)).toEqual([]);
  const astray = `
    select number.phone_number from tracking_numbers number full join call_trackers tracker
      on tracker.tracking_number = number.phone_number
      and (tracker.account_id, tracker.pool_id, tracker.id)
        = (number.account_id, number.pool_id, number.call_tracker_id)
    where (number.state = 'assigned') is distinct from (tracker.id is not null)`;
  expect(await query(environment, astray)).toEqual([]);
  const untold = `
    select tracker.id from call_trackers tracker full join (
      select call_tracker_id, count(*) filter (where kind = 'added') as added,
        count(*) filter (where kind = 'deleted') as deleted
      from call_tracker_changes group by call_tracker_id) told on told.call_tracker_id = tracker.id
    where told.added is distinct from 1 or told.deleted <> case when tracker.id is null then 1 else 0 end`;
  expect(await query(environment, untold)).toEqual([]);
}

/** Makes every pool due once more, and expects no changes. */
async function expectNothingLeftToDo(environment: Environment): Promise<void> {
  const changes = "select count(*) from call_tracker_changes";
  const before = await query(environment, changes);
  await query(environment, "update pool_passes set due_at = clock_now()");
  await untilQuiet(environment);
  expect(await query(environment, changes)).toEqual(before);
}

async function query<T extends object>({ DATABASE_URL }: Environment, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
