import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import type { EventJson } from "../../testing/api-client.js";
import { describeOnEngines, type Service } from "../../testing/behavior.js";
import { type EventStream, openEventStream } from "../../testing/event-stream.js";
import { uniqueNumber } from "../../testing/request-fields.js";
import { newTrackedPool, type TrackedPool } from "../../testing/tracked-pool.js";

/** The number of times that all writers stop, and the mirror is compared with the lists. */
const PAUSES = Number(process.env.MIRROR_PAUSES ?? 40);

/** A copy of the listed resources, keyed by the subjects of their events. */
type Mirror = Map<string, unknown>;

/** Reads everything that the mirror copies, as an integrator would. */
async function listAll({ clients: { json: api } }: Service): Promise<Mirror> {
  const mirror: Mirror = new Map();
  for (const account of (await api.listAccounts()).entries) {
    const account_id = account.account_token;
    mirror.set(`/call_tracking/accounts/${account_id}`, account);
    const path = `/dni_manager/accounts/${account_id}`;
    for (const pool of (await api.listPools({ account_id })).entries) {
      mirror.set(`${path}/pools/${pool.id}`, pool);
      const { entries } = await api.listCallTrackers({ account_id, pool_id: pool.id });
      for (const tracker of entries) mirror.set(`${path}/pools/${pool.id}/call_trackers/${tracker.id}`, tracker);
    }
    for (const call of (await api.listCalls({ account_id })).entries) mirror.set(`${path}/calls/${call.id}`, call);
  }
  return mirror;
}

const MIRRORED = ["account", "pool", "call_tracker", "call"];

function apply(mirror: Mirror, event: EventJson): void {
  const [kind = ""] = event.type.split(".");
  if (!MIRRORED.includes(kind)) return;
  if (event[kind] === undefined) mirror.delete(event.subject);
  else mirror.set(event.subject, event[kind]);
}

describeOnEngines(
  "a mirror",
  (service) => {
    test(`that lists once and then only follows equals the lists at ${PAUSES} pauses`, {
      timeout: 240_000,
    }, async () => {
      const { clients, server } = service;
      const api = clients.json;
      const pools: TrackedPool[] = [];
      const addPool = async (type: string) =>
        pools.push(await newTrackedPool({ api, server }, { pool_type: type, size: 3, numbers: 4 }));
      await addPool("automanaged");
      await addPool("manual");
      let calls = 0;
      const startOf = randomInt(5);
      let stream: EventStream | undefined;
      let mirror: Mirror = new Map();
      let applied = 0;
      try {
        for (let pause = 0; pause < PAUSES; pause++) {
          if (pause === startOf) {
            // The cursor is older than the lists. A client that watches from this cursor misses nothing, but may get changes that the lists already
            // contain.
            const changes = change();
            const first = await fetch(`${server.url}/call_tracking/accounts?page_size=1`);
            mirror = await listAll(service);
            const cursor = first.headers.get("x-event-cursor");
            stream = await openEventStream(server.url, `/dni_manager/events:watch?cursor=${cursor}`);
            await changes;
          } else await Promise.all([change(), change()]);
          if (stream === undefined) continue;
          const { nextCursor } = await api.listEvents({ account_id: pools[0]?.account.account_token, cursor: "now" });
          const position = positionOf(nextCursor);
          const { messages } = stream;
          await expect
            .poll(() => positionOf(messages.at(-1)?.cursor ?? ""), { interval: 5 })
            .toBeGreaterThanOrEqual(position);
          for (; applied < messages.length; applied++) {
            const event = messages[applied]?.event;
            if (event) apply(mirror, event);
          }
          expect(Object.fromEntries(mirror)).toEqual(Object.fromEntries(await listAll(service)));
        }
      } finally {
        await stream?.[Symbol.asyncDispose]();
      }

      /** Makes one random change. */
      async function change(): Promise<void> {
        const pool = pools[randomInt(pools.length)] as TrackedPool;
        const { account, name } = pool;
        const { entries: trackers } = await api.listCallTrackers(name);
        const tracker = trackers[randomInt(Math.max(1, trackers.length))];
        const call_id = `call-${++calls}`;
        const isManual = pool.pool.pool_type === "manual";
        const changes = [
          () => pool.pass(isManual ? undefined : { [`s${randomInt(5)} / cpc`]: randomInt(50, 300) }),
          () => api.updatePool({ ...name, size: randomInt(1, 5) }),
          () => api.updatePool({ ...name, size: pool.pool.size }),
          () => api.updateAccount({ id: account.id, is_active: true }),
          () => pool.addNumbers(1),
          () =>
            tracker &&
            isManual &&
            api.updateCallTracker({ ...name, call_tracker_id: tracker.id, description: "same" }).catch(() => {}),
          () => tracker && isManual && api.flagCallTracker({ ...name, call_tracker_id: tracker.id }).catch(() => {}),
          () =>
            tracker &&
            randomInt(4) === 0 &&
            api.retireTrackingNumber({ phone_number: tracker.tracking_number, immediately: randomInt(2) === 0 }),
          async () => {
            if (tracker === undefined) return;
            const caller_number = randomInt(2) === 0 ? "+12125550199" : uniqueNumber();
            const start = { call_id, tracking_number: tracker.tracking_number, caller_number };
            const made = await api.createCall(start);
            await api.createCall({ ...start, started_at: undefined }).catch(() => {});
            const update = { account_id: account.account_token, id: made.id };
            await api.updateCall({ ...update, answered_at: made.started_at });
            await api.updateCall({ ...update, ended_at: new Date(Date.parse(made.started_at) + 60_000).toISOString() });
          },
          async () => {
            if (tracker === undefined) return;
            // After an earlier call is added, the later call is no longer the caller's first.
            const started_at = new Date(Date.now() - randomInt(1, 1000)).toISOString();
            await api.batchCreateCalls({
              calls: [{ call_id, tracking_number: tracker.tracking_number, caller_number: "+12125550199", started_at }],
            });
          },
          () => api.forgetCaller({ account_id: account.account_token, caller_number: "+12125550199" }),
          () => pools.length < 6 && addPool(randomInt(2) === 0 ? "manual" : "automanaged"),
        ];
        await changes[randomInt(changes.length)]?.();
      }
    });
  },
  { managesPools: false },
);

/** Returns the position in a cursor, which clients must not read. */
function positionOf(cursor: string): number {
  return Number(Buffer.from(cursor, "base64url").readBigInt64BE(16));
}
