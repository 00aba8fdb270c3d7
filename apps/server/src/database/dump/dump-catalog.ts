import { type Kysely, sql } from "kysely";
import type { Schema } from "../tables/schema.js";

export interface CatalogTable {
  readonly name: string;
  /** In table order, without generated columns. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The columns of the primary key, in the key's order. */
  readonly key: readonly string[];
}

/** A sequence, and the column whose default it generates. */
export interface CatalogSequence {
  readonly name: string;
  readonly table: string;
  readonly column: string;
}

export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  /** The SQL after the name in `alter table … add constraint`. */
  readonly definition: string;
}

/**
 * Returns the tables of the schema, ordered by name. Reads the catalog, so that tables from new migrations are included. Excludes Kysely's
 * migration tables and the tables of extensions.
 */
export async function findTables(db: Kysely<Schema>): Promise<readonly CatalogTable[]> {
  const { rows } = await sql<CatalogTable>`
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

/** Returns the sequences that the schema's tables use, ordered by name. */
export async function findSequences(db: Kysely<Schema>): Promise<readonly CatalogSequence[]> {
  const { rows } = await sql<CatalogSequence>`
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

export async function findForeignKeys(db: Kysely<Schema>): Promise<readonly ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select t.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    join pg_class t on t.oid = k.conrelid
    join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = current_schema() and k.contype = 'f' and k.conparentid = 0
    order by t.relname collate "C", k.conname collate "C"`.execute(db);
  return rows;
}
