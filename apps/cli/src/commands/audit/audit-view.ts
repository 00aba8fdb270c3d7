import { AuditEntrySchema } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Cell, Row } from "../../output/resource-row.js";
import { cellAt, type ResourceView } from "../../output/resource-view.js";

/** View of audit entries; tables show which fields changed. */
export const auditEntryView: ResourceView<typeof AuditEntrySchema> = {
  schema: AuditEntrySchema,
  expendable: ["method", "changed"],
  columns: {
    at: (row) => cellAt(row, "occurred_at"),
    actor: ({ actor }) => actorCell(actor as Row),
    method: (row) => cellAt(row, "method"),
    resource: (row) => `${row.resource_type} ${row.resource_id}`,
    changed: ({ before, after }) => changesCell(before as Row | null, after as Row),
  },
};

/** Identifies the actor in one word. */
function actorCell({ kind, id, api_key_prefix }: Row): Cell {
  return api_key_prefix ?? id ?? kind ?? null;
}

/** Lists the fields that changed, except the update time; null for a new resource. */
function changesCell(before: Row | null, after: Row): Cell {
  if (before === null) return null;
  const text = (value: Cell | undefined) => JSON.stringify(value ?? null);
  return Object.keys(after)
    .filter((name) => name !== "updated_at" && text(before[name]) !== text(after[name]))
    .map((name) => `${name} ${text(before[name])} > ${text(after[name])}`)
    .join(", ");
}
