import fc from "fast-check";
import { DEFAULT_POOL_RULES, type PoolRules } from "../config/pool-rules.js";
import type { ApiClient, CallTrackerJson, RequestFields } from "./api-client.js";
import { createGrpcClient } from "./grpc-client.js";
import { startTestServer, type TestServer } from "./test-server.js";
import { addNumbers, newTrackedPool, type TrackedPool, uniqueAreaCode } from "./tracked-pool.js";

/** An action on a pool, its call trackers or its account. An `index` selects a call tracker, modulo the number of call trackers. */
type Action =
  | { readonly kind: "visit"; readonly source: string; readonly count: number }
  | { readonly kind: "retire"; readonly index: number; readonly immediately: boolean }
  | { readonly kind: "touch"; readonly index: number }
  | { readonly kind: "restock"; readonly count: number; readonly elsewhere: boolean }
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "switch account" };

interface Change {
  readonly size?: number;
  readonly utilization?: number;
  /** Whether the update sets the second area code (true) or the first (false). If undefined, the area code stays. */
  readonly elsewhere?: boolean;
}

/** A pool, and rounds of actions on it. */
export interface PoolScript {
  readonly fields: RequestFields;
  readonly numbers: number;
  readonly rounds: readonly (readonly Action[])[];
  /** The update after the last round. The test first plans the update, and then makes it. */
  readonly change: Change;
}

const size = fc.integer({ min: 1, max: 6 });
const utilization = fc.constantFrom(0, 0.34, 0.5, 1, 1);

const anyChange: fc.Arbitrary<Change> = fc.record({ size, utilization, elsewhere: fc.boolean() }, { requiredKeys: [] });

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant("visit" as const),
      source: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      count: fc.constantFrom(1, 2, 3, 3, 6),
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({ kind: fc.constant("retire" as const), index: fc.nat(7), immediately: fc.boolean() }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant("touch" as const), index: fc.nat(7) }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant("restock" as const),
      count: fc.integer({ min: 1, max: 3 }),
      elsewhere: fc.boolean(),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant("change" as const), change: anyChange }), weight: 3 },
  { arbitrary: fc.constant({ kind: "switch account" as const }), weight: 1 },
);

export function anyPoolScript(rounds: number): fc.Arbitrary<PoolScript> {
  return fc.record({
    fields: fc.record({ pool_type: fc.constantFrom("automanaged", "automanaged", "manual"), size, utilization }),
    numbers: fc.nat(8),
    rounds: fc.array(fc.array(anyAction, { minLength: 1, maxLength: 6, size: "max" }), {
      minLength: rounds,
      maxLength: rounds,
    }),
    change: anyChange,
  });
}

/**
 * Creates the pools of the scripts on a server with a virtual clock, and passes them to `run`. Rules that are not in `rules` have defaults for pools
 * with few visits.
 */
export async function withScriptedPools(
  scripts: readonly PoolScript[],
  rules: Partial<PoolRules>,
  run: (pools: readonly ScriptedPool[], api: ApiClient) => Promise<void>,
): Promise<void> {
  const server = await startTestServer("postgres", {
    hasVirtualClock: true,
    managesPools: false,
    // The long window keeps all visits, because plans assume constant visits.
    poolRules: { ...DEFAULT_POOL_RULES, visitThreshold: 2, visitWindowDays: 1000, ...rules },
  });
  const api = createGrpcClient(server.port);
  try {
    await run(await Promise.all(scripts.map((script) => ScriptedPool.create(api, server, script))), api);
  } finally {
    api.close();
    await server.stop();
  }
}

export class ScriptedPool {
  readonly #api: ApiClient;
  readonly #pool: TrackedPool;
  readonly #script: PoolScript;
  readonly #otherAreaCode = uniqueAreaCode();
  #isActive = true;

  static async create(api: ApiClient, server: TestServer, script: PoolScript): Promise<ScriptedPool> {
    const { fields, numbers } = script;
    return new ScriptedPool(api, await newTrackedPool({ api, server }, { ...fields, numbers }), script);
  }

  private constructor(api: ApiClient, pool: TrackedPool, script: PoolScript) {
    this.#api = api;
    this.#pool = pool;
    this.#script = script;
  }

  get name(): RequestFields {
    return this.#pool.name;
  }

  /** Whether the account is disabled. */
  get isFrozen(): boolean {
    return !this.#isActive;
  }

  /** The fields of the update after the last round. */
  get change(): RequestFields {
    return this.#fieldsOf(this.#script.change);
  }

  async play(round: number): Promise<void> {
    for (const action of this.#script.rounds[round] ?? []) await this.#act(action);
  }

  async #act(action: Action): Promise<void> {
    switch (action.kind) {
      case "visit":
        return this.#pool.visit({ [`${action.source} / cpc`]: action.count });
      case "retire": {
        const phone_number = (await this.#trackerAt(action.index))?.tracking_number;
        if (phone_number) await this.#api.retireTrackingNumber({ phone_number, immediately: action.immediately });
        return;
      }
      case "touch":
        return this.#touch(await this.#trackerAt(action.index));
      case "restock":
        await addNumbers(this.#api, this.#areaCode(action.elsewhere), action.count);
        return;
      case "change":
        await this.#api.updatePool({ ...this.name, ...this.#fieldsOf(action.change) });
        return;
      case "switch account":
        this.#isActive = !this.#isActive;
        await this.#api.updateAccount({ id: this.#pool.account.id, is_active: this.#isActive });
    }
  }

  async #trackerAt(index: number): Promise<CallTrackerJson | undefined> {
    const { entries } = await this.#api.listCallTrackers(this.name);
    return entries[index % Math.max(1, entries.length)];
  }

  /** Activates an available call tracker of a manual pool, or flags an active one, as a user would. */
  async #touch(tracker: CallTrackerJson | undefined): Promise<void> {
    if (tracker === undefined || this.#script.fields.pool_type !== "manual" || !this.#isActive) return;
    const named = { ...this.name, call_tracker_id: tracker.id };
    const { retiring } = await this.#api.explainPool(this.name);
    if (tracker.status === "active") await this.#api.flagCallTracker(named);
    else if (!retiring.some(({ call_tracker_id }) => call_tracker_id === tracker.id))
      await this.#api.updateCallTracker(named);
  }

  #fieldsOf({ elsewhere, ...change }: Change): RequestFields {
    return elsewhere === undefined ? change : { ...change, area_code: this.#areaCode(elsewhere) };
  }

  #areaCode(elsewhere: boolean): string {
    return elsewhere ? this.#otherAreaCode : this.#pool.areaCode;
  }
}
