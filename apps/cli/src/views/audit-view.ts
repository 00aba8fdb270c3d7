import { AuditEntrySchema } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Cell, Row } from "../resource-row.js";
import { cellAt, type ResourceView } from "./resource-view.js";

/** How changes that somebody made are shown: in a table, what they changed. */
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

/** Whoever somebody is, in one word. */
function actorCell({ kind, id, api_key_prefix }: Row): Cell {
  return api_key_prefix ?? id ?? kind ?? null;
}

/** The fields that a change has given another value; that it was made at some time is said elsewhere. Null for something new. */
function changesCell(before: Row | null, after: Row): Cell {
  if (before === null) return null;
  const text = (value: Cell | undefined) => JSON.stringify(value ?? null);
  return Object.keys(after)
    .filter((name) => name !== "updated_at" && text(before[name]) !== text(after[name]))
    .map((name) => `${name} ${text(before[name])} > ${text(after[name])}`)
    .join(", ");
}
