import { type Expression, type RawBuilder, sql } from "kysely";
import type { AuditedResourceType, ChangeOrigin } from "./tables/schema.js";

/** The PostgreSQL types with which `json_to_record` reads the fields of a `ChangeOrigin`. */
export const CHANGE_ORIGIN_COLUMN_TYPES = {
  method: "text",
  actor_kind: "text",
  actor_name: "text",
  key_prefix: "text",
  issuer: "text",
} as const satisfies Record<keyof ChangeOrigin, string>;

/** Describes the CTEs of a statement that changes resources, and the columns that the audit entries record. */
export interface AuditCteOptions {
  readonly accountId: Expression<number>;
  readonly type: AuditedResourceType;
  /** The column that identifies the resource. Default: `id`. */
  readonly id?: string;
  /** The columns that the audit log records. None may contain a secret. */
  readonly columns: readonly string[];
  /** The name of the CTE that selects and locks the row before the change; undefined if the statement creates the resource. */
  readonly before?: string;
  /** Whether the statement can change several rows. If so, each row is joined by id with its state before the change. */
  readonly isOfMany?: boolean;
  /** The name of the CTE that changes the resource; undefined if the statement deletes the resource. */
  readonly after?: string;
  /** A `ChangeOrigin` as JSON. Undefined if the CTE that changes the resource returns the columns of the origin. */
  readonly origin?: Expression<string>;
  /**
   * Whether the audit entry has the same id as the resource, which saves half of the time that the entry takes. The resource must be new, and its id
   * must be a UUIDv7.
   */
  readonly sharesId?: boolean;
}

/** The names of two CTEs in every audited update: `before` selects and locks the row before the change, and `updated` changes that row. */
export const UPDATE_CTE_NAMES = { before: "before", after: "updated" } as const;

/**
 * Builds the CTE that writes the audit entries of a statement, so that a change and its entry are atomic. The ids of audit entries are
 * generated after the changed rows are locked, so the entries of a row sort in the order of its changes.
 */
export function buildAuditCte(change: AuditCteOptions): RawBuilder<object> {
  const { accountId, type, id = "id", columns, before, after, origin, isOfMany = false, sharesId = false } = change;
  const changed = (after ?? before) as string;
  const resourceId = sql.ref(`${changed}.${id}`);
  const originCte = origin === undefined ? changed : "origin";
  const values = {
    account_id: sql`${accountId}::integer`,
    ...(sharesId && { id: resourceId }),
    ...Object.fromEntries(
      Object.keys(CHANGE_ORIGIN_COLUMN_TYPES).map((name) => [name, sql.ref(`${originCte}.${name}`)]),
    ),
    resource_type: sql.lit(type),
    resource_id: sql`${resourceId}::text`,
    ...(before !== undefined && { before: sql`row_to_json(state_before)` }),
    ...(after !== undefined && { after: sql`row_to_json(state_after)` }),
  };
  return sql`(
    insert into audit_entries (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
    select ${sql.join(Object.values(values))}
    from ${sql.join(
      [stateOf(after, columns, "state_after"), stateOf(before, columns, "state_before")].filter(
        (each) => each !== undefined,
      ),
      sql` cross join `,
    )}
      ${origin === undefined ? sql`` : sql`cross join ${originRow(origin)}`}
      ${isOfMany ? sql`where ${sql.ref(`${before}.${id}`)} = ${resourceId}` : sql``}
    returning id)`;
}

/** Builds the FROM item that reads the audited columns of a CTE as a row named `name`. Returns undefined if `cte` is undefined. */
function stateOf(cte: string | undefined, columns: readonly string[], name: string) {
  if (cte === undefined) return undefined;
  const shown = sql.join(columns.map((column) => sql.ref(`${cte}.${column}`)));
  return sql`${sql.table(cte)} cross join lateral (select ${shown}) as ${sql.raw(name)}`;
}

function originRow(origin: Expression<string>) {
  const declared = Object.entries(CHANGE_ORIGIN_COLUMN_TYPES).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_record(${origin}::json) as origin (${sql.raw(declared.join(", "))})`;
}
