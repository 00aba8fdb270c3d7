import { DomainError } from "@calltrack/domain";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type BatchLimits, createBatcher, type Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { Config } from "../../config/config.js";
import { createEachResourceOnce } from "../../database/idempotency/create-each-resource-once.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { IdempotencyKey } from "../../database/idempotency/idempotency-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import type { BatchRecordResult } from "../batches/batch-results.js";
import { isTrackingNumberViolation } from "../phone-numbers/phone-number-service.js";
import { insertPoolAndPhoneNumber, insertPools, type PoolToInsert } from "./pool-insertion.js";

/** A pool to create, and the idempotency key of its request. The key is undefined if the request has no `request_id`. */
export interface PoolCreationRequest extends PoolToInsert {
  readonly key: IdempotencyKey | undefined;
}

/** Two concurrent batches: the server prepares one while the other waits for the disk. */
const CREATION_BATCH: BatchLimits = { concurrency: 2, size: 64 };

export function createPoolCreator(database: DatabaseAccess, unregisteredNumbers: Config["unregisteredNumbers"]) {
  const { db } = database;
  const registers = unregisteredNumbers === "register";
  const keyOf = ({ account }: PoolToInsert) => (database.isDistributed ? account.accountId : undefined);
  const insertBatched = createBatcher(
    (pools: readonly PoolToInsert[]) => insertPools(db, pools),
    CREATION_BATCH,
    keyOf,
  );

  function insert(request: PoolCreationRequest): Promise<Pool | undefined> {
    const { key } = request;
    if (registers) return createResourceOnce(db, key, (executor) => insertPoolAndPhoneNumber(executor, request));
    if (key === undefined) return insertBatched(request);
    return createResourceOnce(db, key, async (transaction) => (await insertPools(transaction, [request]))[0]);
  }

  /**
   * Creates one pool. Concurrent requests without a `request_id` share a statement.
   *
   * @throws DomainError `ACCOUNT_DISABLED`, `PHONE_NUMBER_NOT_REGISTERED`, `PHONE_NUMBER_IS_TRACKING_NUMBER` or `IDEMPOTENCY_KEY_REUSED`
   */
  async function create(request: PoolCreationRequest): Promise<Pool> {
    const { account, pool } = request;
    for (;;) {
      const created = await insert(request).catch((error: unknown) => {
        if (!isTrackingNumberViolation(error)) throw error;
        throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber: pool.originalNumber });
      });
      if (created !== undefined) return created;
      const refusal = refusalOf(request, await findPrerequisites(db, account, [pool.originalNumber]));
      if (refusal !== undefined && !(registers && refusal.is("PHONE_NUMBER_NOT_REGISTERED"))) throw refusal;
      // Retries, because another request has enabled the account or registered the number meanwhile.
    }
  }

  /**
   * Handles a request for which `createRegistered` created no pool. Registers a missing number and creates the pool if the configuration allows that;
   * otherwise returns the reason for the rejection. Returns undefined if the request can be retried.
   */
  async function refuseOrRegister(
    request: PoolCreationRequest,
    found: Prerequisites,
  ): Promise<BatchRecordResult<Pool> | undefined> {
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

    /** Creates pools of one account. A rejected request does not affect the other requests. */
    async createAll(requests: readonly PoolCreationRequest[]): Promise<readonly BatchRecordResult<Pool>[]> {
      const results = new Map<PoolCreationRequest, BatchRecordResult<Pool>>();
      const settle = (request: PoolCreationRequest, result: BatchRecordResult<Pool> | undefined) => {
        if (result !== undefined) results.set(request, result);
      };
      for (;;) {
        const left = requests.filter((request) => !results.has(request));
        if (left[0] === undefined) return requests.map((request) => results.get(request) as BatchRecordResult<Pool>);
        const created = await createRegistered(db, left);
        for (const [place, request] of left.entries()) settle(request, created[place]);
        const rejected = left.filter((request) => !results.has(request));
        if (rejected.length === 0) continue;
        const numbers = new Set(rejected.map(({ pool }) => pool.originalNumber));
        const found = await findPrerequisites(db, left[0].account, [...numbers]);
        for (const request of rejected) settle(request, await refuseOrRegister(request, found));
      }
    },
  };
}

/**
 * How many pools a statement inserts. The statement joins the new rows with the requested rows in a nested loop, so its time grows with the square of
 * this number.
 */
const CHUNK = 50;

/** Creates the pools whose account is active and has registered their number. The result for any other pool is undefined. */
function createRegistered(db: Executor, requests: readonly PoolCreationRequest[]) {
  const keys = requests.map(({ key }) => key);
  return createEachResourceOnce(db, keys, async (executor, indexes) => {
    const created: (Pool | undefined)[] = [];
    for (let start = 0; start < indexes.length; start += CHUNK) {
      const chunk = indexes.slice(start, start + CHUNK).map((index) => requests[index] as PoolCreationRequest);
      created.push(...(await insertPools(executor, chunk)));
    }
    return created;
  });
}

/** Whether an account is active, and which of the requested original numbers it has registered. */
interface Prerequisites {
  readonly isActive: boolean;
  readonly registered: readonly string[];
}

async function findPrerequisites(
  db: Executor,
  { accountId }: ResolvedAccount,
  originalNumbers: readonly string[],
): Promise<Prerequisites> {
  const [found] = await findPrerequisitesStatement(db, { accountId, originalNumbers });
  // Accounts are never deleted, so the row exists.
  return found as Prerequisites;
}

const findPrerequisitesStatement = prepareStatement<
  { accountId: number; originalNumbers: readonly string[] },
  Prerequisites
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select((from) => [
      "is_active as isActive",
      sql<readonly string[]>`array(${from
        .selectFrom("phone_numbers")
        .select("phone_numbers.phone_number")
        .where("phone_numbers.account_id", "=", parameter("accountId"))
        .where("phone_numbers.phone_number", "=", sql<string>`any(${parameter("originalNumbers")}::text[])`)})`.as(
        "registered",
      ),
    ])
    .where("accounts.id", "=", parameter("accountId")),
);

/** Returns the reason why a pool cannot be created; undefined if the pool can be created. */
function refusalOf({ pool }: PoolCreationRequest, { isActive, registered }: Prerequisites): DomainError | undefined {
  if (!isActive) return new DomainError("ACCOUNT_DISABLED", { account: pool.account });
  if (registered.includes(pool.originalNumber)) return undefined;
  return new DomainError("PHONE_NUMBER_NOT_REGISTERED", { phoneNumber: pool.originalNumber });
}
