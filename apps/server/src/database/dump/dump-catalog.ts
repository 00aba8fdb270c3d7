import { type Kysely, sql } from "kysely";
import type { Schema } from "../tables/schema.js";

export interface SchemaTable {
  readonly name: string;
  /** The columns in the order of the table, without generated columns. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The names of the primary key columns, in the order of the key. */
  readonly key: readonly string[];
}

/** A sequence, and the column that belongs to it. */
export interface SchemaSequence {
  readonly name: string;
  readonly table: string;
  readonly column: string;
}

export interface SchemaForeignKey {
  readonly table: string;
  readonly name: string;
  /** The SQL that follows the constraint's name in `alter table … add constraint`. */
  readonly definition: string;
}

/**
 * Returns the tables of the current schema, ordered by name. Reads PostgreSQL's catalog, so that tables from new migrations are included.
 * Excludes the tables that record migrations, and the tables of extensions.
 */
export async function findSchemaTables(db: Kysely<Schema>): Promise<readonly SchemaTable[]> {
  const { rows } = await sql<SchemaTable>`
    select c.relname::text as name,
      (
        select json_agg(
          json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum
        )
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      ) as columns,
      (
        select coalesce(json_agg(a.attname order by array_position(i.indkey::smallint[], a.attnum)), '[]')
        from pg_index i
        join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary
      ) as key
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('kysely_migration', 'kysely_migration_lock')
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
      )
    order by c.relname collate "C"`.execute(db);
  return rows;
}

/** Returns the sequences that belong to columns in the current schema, ordered by name. */
export async function findSchemaSequences(db: Kysely<Schema>): Promise<readonly SchemaSequence[]> {
  const { rows } = await sql<SchemaSequence>`
    select s.relname::text as name, t.relname::text as table, a.attname::text as column
    from pg_class s
    join pg_namespace n on n.oid = s.relnamespace
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
      and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
    join pg_class t on t.oid = d.refobjid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where n.nspname = current_schema() and s.relkind = 'S'
    order by s.relname collate "C"`.execute(db);
  return rows;
}

export async function findSchemaForeignKeys(db: Kysely<Schema>): Promise<readonly SchemaForeignKey[]> {
  const { rows } = await sql<SchemaForeignKey>`
    select t.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    join pg_class t on t.oid = k.conrelid
    join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = current_schema() and k.contype = 'f' and k.conparentid = 0
    order by t.relname collate "C", k.conname collate "C"`.execute(db);
  return rows;
}
