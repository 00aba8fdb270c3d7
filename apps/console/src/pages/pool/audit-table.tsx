import { type AuditActor, AuditActorKindSchema, type AuditEntry } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { enumText } from "../../format/enum-text";
import { type Column, DataTable } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { Time } from "../../ui/time";

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: "When", cell: ({ occurredAt }) => <Time value={occurredAt} /> },
  { title: "Who", isHeader: true, cell: ({ actor }) => actorText(actor) },
  { title: "Method", wideOnly: true, cell: ({ method }) => <code>{method}</code> },
  { title: "Change", cell: (entry) => <span class="reason">{differenceText(entry)}</span> },
];

/** The changes of a pool that people and programs made through the API. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const empty = <Empty title="Nobody has changed the pool" />;
  return (
    <DataTable label="Who changed the pool" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} empty={empty} />
  );
}

/** Returns text such as `api key ct_4f9k2m7q0abz`. */
export function actorText(actor: AuditActor | undefined): string {
  if (actor === undefined) return "unknown";
  return [enumText(AuditActorKindSchema, actor.kind), actor.apiKeyPrefix ?? actor.id ?? ""].join(" ").trim();
}

/** Fields that change with every update. */
const UNINTERESTING = new Set(["updated_at", "etag"]);

/** Lists the fields that differ, such as `size 4 → 8`. */
function differenceText({ before, after }: AuditEntry): string {
  if (before === undefined) return "created";
  if (after === undefined) return "deleted";
  const names = Object.keys(after).filter(
    (name) => !UNINTERESTING.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return (
    names.map((name) => `${name} ${valueText(before[name])} → ${valueText(after[name])}`).join(", ") || "no difference"
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
