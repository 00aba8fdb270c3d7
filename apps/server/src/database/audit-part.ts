import { type Expression, type RawBuilder, sql } from "kysely";
import type { AuditedType, ChangeOrigin } from "./tables/schema.js";

/** The columns of a `ChangeOrigin`, with their types, as a set of rows in JSON declares them. */
export const ORIGIN_COLUMNS = {
  method: "text",
  actor_kind: "text",
  actor_name: "text",
  key_prefix: "text",
  issuer: "text",
} as const satisfies Record<keyof ChangeOrigin, string>;

/** The parts of a statement that a change is read from, and what it is a change of. */
export interface AuditedParts {
  readonly accountId: Expression<number>;
  readonly type: AuditedType;
  /** The column that the resource goes by. */
  readonly id: string;
  /** What is shown of it: no secret. */
  readonly columns: readonly string[];
  /** The name of the part that has the resource as it was, one row and locked; undefined if it is new. */
  readonly before?: string;
  /** The name of the part that has changed it. */
  readonly after: string;
  /** A `ChangeOrigin` in JSON; undefined if the part that has changed the resource has the columns of one. */
  readonly origin?: Expression<string>;
  /** Whether the resource is new and its id a UUIDv7: one is enough, drawing another costs as much as all the rest. */
  readonly sharesId?: boolean;
}

/** The names of the parts of an update: one locks the row as it is, one changes it. */
export const UPDATED = { before: "before", after: "updated" } as const;

/**
 * The part of a statement that writes down what the statement changes, so that neither is there without the other. It draws the
 * entries' ids after the rows were changed, and so after they were locked: the order of the ids is the order of the changes.
 */
export function auditPart(parts: AuditedParts): RawBuilder<object> {
  const { accountId, type, id, columns, before, after, origin, sharesId = false } = parts;
  const resourceId = sql.ref(`${after}.${id}`);
  const values = {
    account_id: sql`${accountId}::integer`,
    ...(sharesId && { id: resourceId }),
    ...originsOf(origin === undefined ? after : "origin"),
    resource_type: sql.lit(type),
    resource_id: sql`${resourceId}::text`,
    ...(before !== undefined && { before: sql`row_to_json(state_before)` }),
    after: sql`row_to_json(state_after)`,
  };
  return sql`(
    insert into audit_entries (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
    select ${sql.join(Object.values(values))}
    from ${sql.table(after)} ${stateOf(after, columns, "state_after")}
      ${before === undefined ? sql`` : sql`cross join ${sql.table(before)} ${stateOf(before, columns, "state_before")}`}
      ${origin === undefined ? sql`` : sql`cross join ${originRow(origin)}`}
    returning id)`;
}

function originsOf(part: string) {
  return Object.fromEntries(Object.keys(ORIGIN_COLUMNS).map((name) => [name, sql.ref(`${part}.${name}`)]));
}

/** The columns of a part that are shown, as a row. */
function stateOf(part: string, columns: readonly string[], name: string) {
  const shown = sql.join(columns.map((column) => sql.ref(`${part}.${column}`)));
  return sql`cross join lateral (select ${shown}) as ${sql.raw(name)}`;
}

function originRow(origin: Expression<string>) {
  const declared = Object.entries(ORIGIN_COLUMNS).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_record(${origin}::json) as origin (${sql.raw(declared.join(", "))})`;
}
