import { createHash, randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { DomainError, type FieldViolation, parseBatchCreatePoolsRequest } from "@calltrack/domain";
import {
  BatchCreatePoolsRequestSchema,
  type BatchCreatePoolsResponse,
  CreatePoolRequestSchema,
  PoolService,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { pluralize } from "@calltrack/domain/pluralize";
import { findUnrecordedCallsWarning } from "@calltrack/domain/unrecorded-calls";
import { createContextValues } from "@connectrpc/connect";
import { idempotentContextKey } from "../../connection/retry/retryable.js";
import { formatColumnsHelp } from "../../import/import-columns.js";
import { addImportOptions, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import { createBatchOutcomes, createRefusalOutcome, type RowOutcome } from "../../import/row-outcome.js";
import type { RowSender } from "../../import/row-sender.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { listPhoneNumbers } from "../numbers/list-phone-numbers.js";
import { collectExistingPools, type ExistingPools } from "./existing-pools.js";
import { listPools } from "./list-pools.js";

/** Maximum number of pools per request. One transaction creates them all, so a larger batch would block other requests for longer. */
const BATCH_SIZE = 100;

const rerunHelp = `
Repeated imports:
  Pools have no natural key, so all columns of each row are compared with the
  pools that existed before the import: original_number (by its id), area_code,
  description, is_dni, is_prompted, is_recorded, pool_type, property_token,
  size and utilization (ignored for manual pools).
  A row that equals an existing pool is skipped. Each pool matches one row: two
  equal rows create two pools, and importing the same file again creates none.
  An edited row no longer matches its pool. If a pool is updated, its row still
  matches for 24 hours after the import, but not later.
  --allow-duplicates creates a pool for every row, without a comparison. Use this
  option for corrected rows that are meant to equal existing pools.
`;

interface PoolsImportOptions extends ImportOptions {
  readonly allowDuplicates?: boolean;
}

export function addPoolsImportCommand(pools: CliCommand): void {
  addImportOptions(pools.command("import").description("create pools from the rows of a file").accountArgument())
    .option("--allow-duplicates", "create a pool for every row, even if an equal pool exists")
    .run(async (invocation, account: string, file: string, options: PoolsImportOptions) => {
      const unrecorded: RowFields[] = [];
      const prepare = () => preparePools(invocation, account, options, unrecorded);
      try {
        await runImport(invocation, { request: CreatePoolRequestSchema, file, options, findProblems, prepare });
      } finally {
        warnOfUnrecorded(invocation, unrecorded.length);
      }
    })
    .addHelpText("after", formatColumnsHelp(CreatePoolRequestSchema) + rerunHelp.trimEnd())
    .examples(
      "calltrack pools import acme pools.csv --rejects rejected.csv",
      "calltrack pools import acme pools.jsonl --concurrency 8",
      "generate-pools | calltrack pools import acme - --format jsonl",
    );
}

function isUnrecorded({ isPrompted, isRecorded }: RowFields): boolean {
  return isRecorded === true && isPrompted === false;
}

/** Warns about created pools whose calls cannot be recorded, because the pools are recorded but not prompted. */
function warnOfUnrecorded({ host }: Invocation, count: number): void {
  const warning = findUnrecordedCallsWarning({ isPrompted: false, isRecorded: count > 0 });
  if (warning !== undefined) host.stderr.write(`warning: ${pluralize(count, "pool")}: ${warning}\n`);
}

/** Applies the service's validation rules to a row. */
function findProblems(fields: RowFields): readonly FieldViolation[] {
  const request = { accountId: "any", pools: [fields] };
  const [pool] = parseBatchCreatePoolsRequest(create(BatchCreatePoolsRequestSchema, request)).pools;
  return pool instanceof DomainError && pool.is("FIELD_INVALID") ? pool.facts.violations : [];
}

/** @param unrecorded collects the rows of created pools that are recorded but not prompted. */
async function preparePools(
  invocation: Invocation,
  accountId: string,
  { allowDuplicates }: PoolsImportOptions,
  unrecorded: RowFields[],
): Promise<RowSender> {
  const client = invocation.client(PoolService, invocation.host.interrupt.drop);
  const existing = await readExisting(invocation, accountId);
  const requestIdOf = allowDuplicates ? randomUUID : createRequestIds();
  const prepare = (fields: RowFields) => {
    const isThere = !allowDuplicates && existing.take(fields);
    return { isThere, record: { ...fields, requestId: requestIdOf(fields) } };
  };
  /** Keeps the prepared form of each row. A rejected batch is sent again without its invalid rows, but `take` must run only once for each row. */
  const prepared = new WeakMap<RowFields, ReturnType<typeof prepare>>();
  // Every record has a request id, so a retry creates nothing twice.
  const call = { contextValues: createContextValues().set(idempotentContextKey, true) };
  return {
    batchSize: BATCH_SIZE,
    listField: "pools",
    async send(rows) {
      const known = rows.map((fields) => prepared.get(fields) ?? prepare(fields));
      for (const [index, fields] of rows.entries()) prepared.set(fields, known[index] as ReturnType<typeof prepare>);
      const pools = known.flatMap(({ isThere, record }) => (isThere ? [] : record));
      const answer = pools.length === 0 ? undefined : await client.batchCreatePools({ accountId, pools }, call);
      const outcomes = (answer === undefined ? [] : outcomesOf(answer)).values();
      const all = known.map(
        ({ isThere }): RowOutcome =>
          isThere ? { kind: "already there" } : (outcomes.next().value ?? { kind: "unanswered" }),
      );
      unrecorded.push(...rows.filter((fields, index) => all[index]?.kind === "created" && isUnrecorded(fields)));
      return all;
    },
  };
}

function outcomesOf({ poolIds, created, refused }: BatchCreatePoolsResponse): RowOutcome[] {
  const refusals = new Map(refused.map((each) => [each.index, createRefusalOutcome(each)]));
  return createBatchOutcomes(poolIds, created, (_, index) => refusals.get(index));
}

/**
 * Creates a function that derives a row's request id from its content and from the number of equal rows before it. A repeated import then
 * finds the pools that an earlier import created, even pools that the service created after that import was killed.
 */
function createRequestIds(): (fields: RowFields) => string {
  const seen = new Map<string, number>();
  return (fields) => {
    const content = JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
    const count = seen.get(content) ?? 0;
    seen.set(content, count + 1);
    return createHash("sha256").update(`${count} ${content}`).digest("base64url");
  };
}

async function readExisting(invocation: Invocation, accountId: string): Promise<ExistingPools> {
  const numberIds = new Map<string, string>();
  for await (const numbers of listPhoneNumbers(invocation, accountId)) {
    for (const { phoneNumber, id } of numbers) numberIds.set(phoneNumber, id);
  }
  return await collectExistingPools(listPools(invocation, accountId), numberIds);
}
