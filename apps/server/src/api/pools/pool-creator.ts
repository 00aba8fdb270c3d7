import { DomainError } from "@calltrack/domain";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type BatchLimits, batchCalls, type Executor } from "@calltrack/postgres";
import type { UnregisteredNumbers } from "../../config/config.js";
import { type Creation, createEachOnce } from "../../database/idempotency/create-each-once.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import type { RequestKey } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { isTrackingNumberViolation } from "../phone-numbers/phone-number-service.js";
import { findPoolPrerequisites, insertPoolAndPhoneNumber, insertPools, type PoolToInsert } from "./pool-repository.js";

/** A pool to create, and the key of its request; undefined if the request has no id. */
export interface PoolRequest {
  readonly wanted: PoolToInsert;
  readonly key: RequestKey | undefined;
}

/** Creates pools. */
export interface PoolCreator {
  /**
   * Creates one pool. Concurrent requests without an id are combined.
   *
   * @throws DomainError `ACCOUNT_DISABLED`, `PHONE_NUMBER_NOT_REGISTERED`, `PHONE_NUMBER_IS_TRACKING_NUMBER` or
   *   `IDEMPOTENCY_KEY_REUSED`
   */
  create(request: PoolRequest): Promise<Pool>;
  /** Creates pools of one account independently. The result of a rejected request is its error. */
  createAll(requests: readonly PoolRequest[]): Promise<readonly (Creation<Pool> | DomainError)[]>;
}

/** Two concurrent batches: one can be prepared while the other waits for the disk. */
const CREATION_BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Creates a creator of pools. */
export function createPoolCreator(database: DatabaseAccess, unregisteredNumbers: UnregisteredNumbers): PoolCreator {
  const { db } = database;
  const registers = unregisteredNumbers === "register";
  const keyOf = ({ account }: PoolToInsert) => (database.isDistributed ? account.accountId : undefined);
  const insertBatched = batchCalls((pools: readonly PoolToInsert[]) => insertPools(db, pools), CREATION_BATCH, keyOf);

  function insert({ wanted, key }: PoolRequest): Promise<Pool | undefined> {
    if (registers) return createOnce(db, key, (executor) => insertPoolAndPhoneNumber(executor, wanted));
    if (key === undefined) return insertBatched(wanted);
    return createOnce(db, key, async (transaction) => (await insertPools(transaction, [wanted]))[0]);
  }

  async function create(request: PoolRequest): Promise<Pool> {
    const { account, pool } = request.wanted;
    for (;;) {
      const created = await insert(request).catch((error: unknown) => {
        if (!isTrackingNumberViolation(error)) throw error;
        throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber: pool.originalNumber });
      });
      if (created !== undefined) return created;
      const refusal = refusalOf(request, await findPoolPrerequisites(db, account, [pool.originalNumber]));
      if (refusal !== undefined && !(registers && refusal.is("PHONE_NUMBER_NOT_REGISTERED"))) throw refusal;
      // Retry: another request has enabled the account or registered the number meanwhile.
    }
  }

  /** Handles a request that `createEachOnce` left out. Returns undefined if it can be retried. */
  async function refuseOrRegister(
    request: PoolRequest,
    found: Prerequisites,
  ): Promise<Creation<Pool> | DomainError | undefined> {
    const refusal = refusalOf(request, found);
    if (!registers || refusal?.is("PHONE_NUMBER_NOT_REGISTERED") !== true) return refusal;
    try {
      return { response: await create(request), isNew: true };
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  return {
    create,

    async createAll(requests) {
      const results: (Creation<Pool> | DomainError | undefined)[] = requests.map(() => undefined);
      for (;;) {
        const left = [...requests.entries()].filter(([index]) => results[index] === undefined);
        const [first] = left;
        if (first === undefined) return results as (Creation<Pool> | DomainError)[];
        for (const [place, result] of (
          await createLeft(
            db,
            left.map(([, request]) => request),
          )
        ).entries()) {
          results[left[place]?.[0] as number] = result;
        }
        const rejected = left.filter(([index]) => results[index] === undefined);
        if (rejected.length === 0) continue;
        const numbers = [...new Set(rejected.map(([, { wanted }]) => wanted.pool.originalNumber))];
        const found = await findPoolPrerequisites(db, first[1].wanted.account, numbers);
        for (const [index, request] of rejected) results[index] = await refuseOrRegister(request, found);
      }
    },
  };
}

type Prerequisites = Awaited<ReturnType<typeof findPoolPrerequisites>>;

/** Pools per statement. It joins its rows with themselves in a nested loop, so its time grows with their square. */
const CHUNK = 50;

function createLeft(db: Executor, requests: readonly PoolRequest[]) {
  const keys = requests.map(({ key }) => key);
  return createEachOnce(db, keys, async (executor, indexes) => {
    const wanted = indexes.map((index) => (requests[index] as PoolRequest).wanted);
    const created: (Pool | undefined)[] = [];
    for (let start = 0; start < wanted.length; start += CHUNK) {
      created.push(...(await insertPools(executor, wanted.slice(start, start + CHUNK))));
    }
    return created;
  });
}

/** Returns why a pool cannot be created; undefined if it can. */
function refusalOf(
  { wanted: { pool } }: PoolRequest,
  { isActive, registered }: Prerequisites,
): DomainError | undefined {
  if (!isActive) return new DomainError("ACCOUNT_DISABLED", { account: pool.account });
  if (registered.has(pool.originalNumber)) return undefined;
  return new DomainError("PHONE_NUMBER_NOT_REGISTERED", { phoneNumber: pool.originalNumber });
}
