import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { ApiClient, CallJson, PoolJson } from "../../testing/api-client.js";
import { describeBehavior, type Service } from "../../testing/behavior.js";
import { requireRefusal } from "../../testing/refusal.js";
import { newPool, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";
import { deleteNumberHistoryBefore } from "../../upkeep/expired-number-history.js";

const MINUTE_MS = 60_000;

/** A change in the history of a number. Times are minutes after the previous change; 0 is the same millisecond. */
interface Event {
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly afterMinutes: number;
  /** The index of the pool that gets the number. */
  readonly pool: number;
}

type Attribution = Pick<CallJson, "pool_id" | "call_tracker_id" | "tracker_status" | "source" | "medium">;

/** Generates possible histories of a number: call trackers are added, used and deleted in turn. */
const history: fc.Arbitrary<readonly Event[]> = fc
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

/** The possible changes of a call tracker, keyed by its status. `none` means that no call tracker holds the number. */
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

/** Returns the expected attribution at a moment by replaying the history up to that moment. */
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

describeBehavior("the attribution of calls", (service) => {
  /** Inserts the changes that passes would have written, in the order of the events. */
  async function insertChanges(
    pools: readonly { readonly accountId: number; readonly pool: PoolJson }[],
    events: readonly Event[],
  ) {
    const { kysely } = service.server.database;
    const tracking_number = uniqueNumber();
    let at = Date.now() - 30 * 86_400_000;
    let tracker = "";
    let holder = pools[0] as (typeof pools)[number];
    const changes = [];
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
      changes.push({ at, event, tracker, pool: holder.pool });
    }
    return { tracking_number, changes };
  }

  /** Creates a call at each moment, and expects the attribution that `expectedAt` returns for that moment. */
  async function expectAttributed(
    pools: readonly { readonly pool: PoolJson }[],
    tracking_number: string,
    moments: readonly number[],
    expectedAt: (at: number) => Attribution | undefined,
  ): Promise<void> {
    const api = service.clients.json;
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
      const expected = expectedAt(at);
      if (expected === undefined) expect(refused.map((each) => each.index)).toContain(index);
      else expect(found.get(`${tracking_number}-${index}`)).toMatchObject(expected);
    }
    await expectResolved(service, tracking_number, moments, expectedAt);
    await service.server.database.kysely.deleteFrom("calls").execute();
  }

  async function countHistory(number: string, before: Date) {
    const { rows } = await sql<{ holders: number; changes: number }>`
      select (select count(*)::integer from tracking_number_holders where phone_number = ${number} and held_from < ${before}) as holders,
        (select count(*)::integer from call_tracker_changes where tracking_number = ${number} and occurred_at < ${before}) as changes
    `.execute(service.server.database.kysely);
    return rows[0] as (typeof rows)[number];
  }

  test("depends only on changes up to the start of the call, and not on expired history", {
    timeout: 300_000,
  }, async () => {
    const api = service.clients.json;
    const pools = await Promise.all([newHolder(api), newHolder(api), newHolder(api)]);
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
        fc.nat(),
        async (events, shares, choice) => {
          const { tracking_number, changes } = await insertChanges(pools, events);
          const [first, last] = [changes[0]?.at as number, changes.at(-1)?.at as number];
          const between = shares.map((share) => Math.round(first + share * (last - first + MINUTE_MS)));
          const moments = [...changes.flatMap(({ at }) => [at - 1, at]), ...between];
          const expectedAt = (at: number) => replay(changes, at);
          await expectAttributed(pools, tracking_number, moments, expectedAt);
          const bound = new Date(moments[choice % moments.length] as number);
          await deleteNumberHistoryBefore(service.server.database.db, bound);
          const { holders, changes: kept } = await countHistory(tracking_number, bound);
          expect(holders).toBeLessThanOrEqual(1);
          expect(kept).toBeLessThanOrEqual(2);
          const since = moments.filter((at) => at >= bound.getTime());
          await expectAttributed(pools, tracking_number, since, expectedAt);
        },
      ),
      { numRuns: 20 },
    );
  });
});

/** Expects ResolveCall to return the same attribution at each moment as a call that started then. */
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
      expect(await requireRefusal(resolved)).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "at" }] });
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

/** Returns ascending ids, like those of call trackers. */
function nextId(): string {
  return `019aa34f-5c1d-7e52-8c3a-${String(++lastId).padStart(12, "0")}`;
}
