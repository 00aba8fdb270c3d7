import { create } from "@bufbuild/protobuf";
import { DomainError, type FieldViolation, parseCreatePool } from "@calltrack/domain";
import { CreatePoolRequestSchema, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import type { Invocation } from "../invocation.js";
import { listPages } from "../list-pages.js";
import { readPhoneNumbers } from "../read-phone-numbers.js";
import { readPools } from "../read-pools.js";
import { collectExistingPools, type ExistingPools } from "./existing-pools.js";
import { columnsHelp } from "./import-columns.js";
import { addImportOptions, type ImportOptions } from "./import-options.js";
import type { RowFields } from "./import-row.js";
import { createSingleRowSender, type RowSender } from "./row-sender.js";
import { runImport } from "./run-import.js";

const rerunHelp = `
Running it again:
  Pools have no natural key, so each row is compared with the pools that existed
  before the import, over all columns: original_number (by its id), area_code,
  description, is_dni, is_prompted, is_recorded, pool_type, property_token,
  size and utilization (ignored for manual pools).
  A row that equals an existing pool is skipped. Each pool matches one row: two
  equal rows create two pools, and importing the same file again creates none.
  Editing a row or updating its pool ends the match.
  --allow-duplicates creates a pool for every row without comparing. Use it for
  corrected rows that intentionally equal existing pools.
`;

interface PoolsImportOptions extends ImportOptions {
  readonly allowDuplicates?: boolean;
}

/** Adds `pools import`. */
export function addPoolsImport(pools: Command, host: Host): void {
  const command = addImportOptions(
    pools
      .command("import")
      .description("create pools from the rows of a file")
      .argument("<account>", "the account's token or id"),
  )
    .option("--allow-duplicates", "create a pool for every row, even where an equal one exists")
    .action(
      createAction(host, async (invocation, account: string, file: string, options: PoolsImportOptions) => {
        const prepare = () => preparePools(invocation, account, options);
        await runImport(invocation, { request: CreatePoolRequestSchema, file, options, findProblems, prepare });
      }),
    )
    .addHelpText("after", columnsHelp(CreatePoolRequestSchema) + rerunHelp.trimEnd());
  addExamples(command, [
    "calltrack pools import acme pools.csv --rejects refused.csv",
    "calltrack pools import acme pools.jsonl --concurrency 32",
    "generate-pools | calltrack pools import acme - --format jsonl",
  ]);
}

/** Applies the service's validation rules. */
function findProblems(fields: RowFields): readonly FieldViolation[] {
  try {
    parseCreatePool(create(CreatePoolRequestSchema, { ...fields, accountId: "any" }));
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}

async function preparePools(
  invocation: Invocation,
  accountId: string,
  { allowDuplicates }: PoolsImportOptions,
): Promise<RowSender> {
  const client = invocation.client(PoolService);
  const existing = await readExisting(invocation, accountId);
  const signal = invocation.host.interrupt.drop;
  return createSingleRowSender(async (fields) => {
    if (!allowDuplicates && existing.take(fields)) return { kind: "already there" };
    await client.createPool({ ...fields, accountId }, { signal });
    return { kind: "created" };
  });
}

async function readExisting(invocation: Invocation, accountId: string): Promise<ExistingPools> {
  const numberIds = new Map<string, string>();
  for await (const numbers of listPages(readPhoneNumbers(invocation, accountId))) {
    for (const { phoneNumber, id } of numbers) numberIds.set(phoneNumber, id);
  }
  return await collectExistingPools(listPages(readPools(invocation, accountId)), numberIds);
}
