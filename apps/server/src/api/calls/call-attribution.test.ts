import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiClient, CallJson, PoolJson } from "../../testing/api-client.js";
import { describeOnEngines, type Service } from "../../testing/behaviour.js";
import { refusalOf } from "../../testing/refusal.js";
import { newPool, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";

const MINUTE_MS = 60_000;

/** A change in the life of a number. Times are minutes after the change before; 0 is the same millisecond. */
interface Event {
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly afterMinutes: number;
  /** The index of the pool that takes the number. */
  readonly pool: number;
}

type Attribution = Pick<CallJson, "pool_id" | "call_tracker_id" | "tracker_status" | "source" | "medium">;

/** Turns choices into a life that a call tracker can have: it is added, used for a while and deleted, again and again. */
const life: fc.Arbitrary<readonly Event[]> = fc
  .array(
    fc.record({
      choice: fc.nat(),
      afterMinutes: fc.nat({ max: 3 }),
      pool: fc.nat({ max: 2 }),
      source: fc.constantFrom("google", "bing", "yahoo"),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((choices) => {
    let status = "none";
    let held: string | null = null;
    return choices.map(({ choice, source, afterMinutes, pool }): Event => {
      const kinds = NEXT[status] ?? [];
      const kind = kinds[choice % kinds.length] as Event["kind"];
      if (kind === "activated") held = source;
      const event = { kind, source: held, afterMinutes, pool };
      status = STATUS_AFTER[kind] ?? status;
      if (status === "available" || status === "none") held = null;
      return event;
    });
  });

/** The changes that are possible for a call tracker of each status. */
const NEXT: Readonly<Record<string, readonly Event["kind"][]>> = {
  none: ["added"],
  available: ["activated", "activated", "deleted", "described", "retiring"],
  active: ["flagged", "flagged", "described", "deleted", "retiring"],
  flagged: ["unflagged", "deactivated", "deleted", "described"],
};

const STATUS_AFTER: Readonly<Partial<Record<Event["kind"], string>>> = {
  ...{ added: "available", activated: "active", flagged: "flagged", unflagged: "active" },
  ...{ deactivated: "available", deleted: "none" },
};

/** The attribution of a call at each moment, by playing the life again up to it. */
function replay(
  events: readonly { readonly at: number; readonly event: Event; readonly tracker: string; readonly pool: PoolJson }[],
  at: number,
) {
  let now: Attribution | undefined;
  for (const { event, tracker, pool, at: occurredAt } of events) {
    if (occurredAt > at) break;
    if (event.kind === "added") {
      now = { pool_id: pool.id, call_tracker_id: tracker, tracker_status: "available", source: null, medium: null };
      continue;
    }
    const tracker_status = event.kind === "deleted" ? "released" : (STATUS_AFTER[event.kind] as "active" | undefined);
    const source = event.source ?? now?.source ?? null;
    now = { ...(now as Attribution), ...(tracker_status && { tracker_status }), source, medium: source && "cpc" };
  }
  return now;
}

describeOnEngines("the attribution of calls", (service) => {
  /** Writes a life into the history as passes would have done, in the order in which it happened. */
  async function live(
    pools: readonly { readonly accountId: number; readonly pool: PoolJson }[],
    events: readonly Event[],
  ) {
    const { kysely } = service.server.database;
    const tracking_number = uniqueNumber();
    let at = Date.now() - 30 * 86_400_000;
    let tracker = "";
    let holder = pools[0] as (typeof pools)[number];
    const lived = [];
    for (const event of events) {
      at += event.afterMinutes * MINUTE_MS;
      if (event.kind === "added") {
        [tracker, holder] = [nextId(), pools[event.pool] as typeof holder];
        await kysely
          .insertInto("tracking_number_holders")
          .values({
            ...{ phone_number: tracking_number, held_from: new Date(at), call_tracker_id: tracker },
            ...{ account_id: holder.accountId, pool_id: holder.pool.id },
          })
          .execute();
      }
      const { kind, source } = event;
      await kysely
        .insertInto("call_tracker_changes")
        .values({
          ...{ account_id: holder.accountId, pool_id: holder.pool.id, call_tracker_id: tracker, tracking_number },
          ...{ kind, source, medium: source && "cpc", reason: "", occurred_at: new Date(at) },
        })
        .execute();
      lived.push({ at, event, tracker, pool: holder.pool });
    }
    return { tracking_number, lived };
  }

  test("is that of the moment, whatever becomes of the number afterwards", { timeout: 300_000 }, async () => {
    const api = service.clients.json;
    const pools = await Promise.all([newHolder(api), newHolder(api), newHolder(api)]);
    await fc.assert(
      fc.asyncProperty(
        life,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
        async (events, shares) => {
          const { tracking_number, lived } = await live(pools, events);
          const [first, last] = [lived[0]?.at as number, lived.at(-1)?.at as number];
          const between = shares.map((share) => Math.round(first + share * (last - first + MINUTE_MS)));
          const moments = [...lived.flatMap(({ at }) => [at - 1, at]), ...between];
          const calls = moments.map((at, index) => {
            return { call_id: `${tracking_number}-${index}`, tracking_number, started_at: new Date(at).toISOString() };
          });
          const { refused } = await api.batchCreateCalls({ calls });
          const found = new Map<string, CallJson>();
          for (const { pool } of pools) {
            const { entries } = await api.listCalls({ account_id: pool.account_token });
            for (const call of entries) found.set(call.call_id, call);
          }
          for (const [index, at] of moments.entries()) {
            const expected = replay(lived, at);
            if (expected === undefined) expect(refused.map((each) => each.index)).toContain(index);
            else expect(found.get(`${tracking_number}-${index}`)).toMatchObject(expected);
          }
          await expectResolved(service, tracking_number, moments, (at) => replay(lived, at));
          await service.server.database.kysely.deleteFrom("calls").execute();
        },
      ),
      { numRuns: 20 },
    );
  });
});

/** ResolveCall names the same pool, call tracker and source at a moment as a call that is recorded then. */
async function expectResolved(
  { clients }: Service,
  tracking_number: string,
  moments: readonly number[],
  expectedAt: (at: number) => Attribution | undefined,
): Promise<void> {
  for (const at of moments.slice(0, 4)) {
    const expected = expectedAt(at);
    const resolved = clients.grpc.resolveCall({ tracking_number, at: new Date(at).toISOString() });
    if (expected === undefined) {
      expect(await refusalOf(resolved)).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "at" }] });
    } else {
      const { pool_id, call_tracker_id, source, medium } = expected;
      expect(await resolved).toMatchObject({ pool_id, call_tracker_id, source, medium });
    }
  }
}

async function newHolder(api: ApiClient): Promise<{ readonly accountId: number; readonly pool: PoolJson }> {
  const { account, pool } = await newPool(api, { property_token: uniqueToken("property") });
  return { accountId: account.id, pool };
}

let lastId = 0;

/** Ids that grow, as those of call trackers do. */
function nextId(): string {
  return `019aa34f-5c1d-7e52-8c3a-${String(++lastId).padStart(12, "0")}`;
}
