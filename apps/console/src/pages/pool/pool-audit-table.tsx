import { type AuditActor, AuditActorKindSchema, type AuditEntry } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { LocalTime } from "../../ui/local-time";

const COLUMNS: readonly TableColumn<AuditEntry>[] = [
  { title: "When", cell: ({ occurredAt }) => <LocalTime value={occurredAt} /> },
  { title: "Who", isHeader: true, cell: ({ actor }) => formatAuditActor(actor) },
  { title: "Method", wideOnly: true, cell: ({ method }) => <code>{method}</code> },
  { title: "Change", cell: (entry) => <span class="reason">{differenceText(entry)}</span> },
];

/** The changes that people and programs made to a pool through the API. */
export function PoolAuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const empty = <EmptyNotice title="Nobody has changed the pool" />;
  return (
    <DataTable label="Who changed the pool" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} empty={empty} />
  );
}

/** Returns the kind of an actor with the prefix of the actor's API key or, failing that, the actor's id, such as `api key ct_4f9k2m7q0abz`. */
export function formatAuditActor(actor: AuditActor | undefined): string {
  if (actor === undefined) return "unknown";
  return [formatEnumValueAsWords(AuditActorKindSchema, actor.kind), actor.apiKeyPrefix ?? actor.id ?? ""]
    .join(" ")
    .trim();
}

/** Fields that are not listed, because they change with every update. */
const UNINTERESTING = new Set(["updated_at", "etag"]);

/** Lists the changed fields of the pool, such as `size 4 → 8`. */
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
