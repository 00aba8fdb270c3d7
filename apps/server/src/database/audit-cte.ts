import { type Expression, type RawBuilder, sql } from "kysely";
import type { AuditedType, ChangeOrigin } from "./tables/schema.js";

/** The PostgreSQL types of a `ChangeOrigin`'s columns, for `json_to_record`. */
export const ORIGIN_COLUMNS = {
  method: "text",
  actor_kind: "text",
  actor_name: "text",
  key_prefix: "text",
  issuer: "text",
} as const satisfies Record<keyof ChangeOrigin, string>;

/** The CTEs of a statement that changes resources, and the columns that its audit entries record. */
export interface AuditedChange {
  readonly accountId: Expression<number>;
  readonly type: AuditedType;
  /** The column that identifies the resource. Default: `id`. */
  readonly id?: string;
  /** The columns in the audit log; none may contain a secret. */
  readonly columns: readonly string[];
  /** The CTE that selects and locks the previous row; undefined if the resource is created. */
  readonly before?: string;
  /** Whether the statement changes several rows. Each is then joined with its previous row by id. */
  readonly isOfMany?: boolean;
  /** The CTE that changes the resource; undefined if it is deleted. */
  readonly after?: string;
  /** A `ChangeOrigin` as JSON; undefined if the CTE that changes the resource returns its columns. */
  readonly origin?: Expression<string>;
  /**
   * Whether the entry gets the id of the resource, which must be new and have a UUIDv7. Generating a second id would take as long as the
   * rest of the entry.
   */
  readonly sharesId?: boolean;
}

/** Names of the CTEs of an update: `before` locks the previous row, `updated` changes it. */
export const UPDATE_CTES = { before: "before", after: "updated" } as const;

/**
 * Builds the CTE that writes the audit entries of a statement, so that a change and its entry are atomic. The ids of entries are generated
 * after the changed rows are locked, so their order is the order of the changes.
 */
export function auditCte(change: AuditedChange): RawBuilder<object> {
  const { accountId, type, id = "id", columns, before, after, origin, isOfMany = false, sharesId = false } = change;
  const changed = (after ?? before) as string;
  const resourceId = sql.ref(`${changed}.${id}`);
  const originCte = origin === undefined ? changed : "origin";
  const values = {
    account_id: sql`${accountId}::integer`,
    ...(sharesId && { id: resourceId }),
    ...Object.fromEntries(Object.keys(ORIGIN_COLUMNS).map((name) => [name, sql.ref(`${originCte}.${name}`)])),
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

/** Builds the FROM item for a CTE, with its audited columns as a row named `name`. Returns undefined if there is no CTE. */
function stateOf(cte: string | undefined, columns: readonly string[], name: string) {
  if (cte === undefined) return undefined;
  const shown = sql.join(columns.map((column) => sql.ref(`${cte}.${column}`)));
  return sql`${sql.table(cte)} cross join lateral (select ${shown}) as ${sql.raw(name)}`;
}

function originRow(origin: Expression<string>) {
  const declared = Object.entries(ORIGIN_COLUMNS).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_record(${origin}::json) as origin (${sql.raw(declared.join(", "))})`;
}
