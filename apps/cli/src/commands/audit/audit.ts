import { AuditEntrySchema, AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { parsePastTimeOption, type TimeOption } from "../../options/time-option.js";
import type { OutputCell, OutputRow } from "../../output/output-row.js";
import type { ResourceView } from "../../output/resource-view.js";

interface ListOptions {
  readonly resource?: string;
  readonly actor?: string;
  readonly since?: TimeOption;
  readonly until?: TimeOption;
  readonly limit?: number;
}

const auditEntryView: ResourceView<typeof AuditEntrySchema> = {
  schema: AuditEntrySchema,
  expendable: ["method", "changed"],
  columns: ["at", "actor", "method", "resource", "changed"],
  cells: {
    at: "occurred_at",
    actor: ({ actor }) => actorCell(actor as OutputRow),
    resource: ({ resource_type, resource_id }) => `${resource_type} ${resource_id}`,
    changed: ({ before, after }) => changesCell(before as OutputRow | null, after as OutputRow | null),
  },
};

/** Returns the prefix of the actor's API key or, failing that, the actor's id or kind. */
function actorCell({ kind, id, api_key_prefix }: OutputRow): OutputCell {
  return api_key_prefix ?? id ?? kind ?? null;
}

/** Lists the fields that changed, except the update time; null for a new or deleted resource. */
function changesCell(before: OutputRow | null, after: OutputRow | null): OutputCell {
  if (before === null || after === null) return null;
  const text = (value: OutputCell | undefined) => JSON.stringify(value ?? null);
  return Object.keys(after)
    .filter((name) => name !== "updated_at" && text(before[name]) !== text(after[name]))
    .map((name) => `${name} ${text(before[name])} > ${text(after[name])}`)
    .join(", ");
}

export function defineCommand(audit: CliCommand): void {
  audit
    .command("list")
    .watchOption()
    .description(
      "list the changes to an account's resources, newest first; without an account, list the changes to resources that belong to no account",
    )
    .argument("[account]", "the account's token or id (default: the account to which your key is restricted, if any)")
    .option("--resource <id>", "only changes to the resource with this id, or to this tracking number")
    .option("--actor <id>", "only changes by the API key with this id, or by the access token with this subject")
    .option(
      "--since <time>",
      "only changes since this time, such as 30d ago or 2026-11-20T00:00:00Z",
      parsePastTimeOption,
    )
    .option(
      "--until <time>",
      "only changes before this time, such as 1d ago or 2026-11-21T00:00:00Z",
      parsePastTimeOption,
    )
    .limitOption()
    .run(async (invocation, accountId: string | undefined, options: ListOptions) => {
      const client = invocation.client(AuditService);
      const { resource: resourceId, actor: actorId, limit } = options;
      const [since, until] = [await invocation.timeOf(options.since), await invocation.timeOf(options.until)];
      const filter = { accountId, resourceId, actorId, since, until };
      const pages = readListPages((page) => client.listAuditEntries({ ...filter, ...page }), limit);
      await invocation.showList(auditEntryView, pages);
    })
    .examples(
      "calltrack audit list acme --since 30d",
      "calltrack audit list --resource +12225550101",
      "calltrack audit list acme --output ndjson > changes.jsonl",
    );
  audit.subcommandExamples();
}
