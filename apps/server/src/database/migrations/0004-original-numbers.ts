import { type Kysely, sql } from "kysely";

/**
 * Adds the numbers that accounts have registered to the table of the inventory, as retired numbers. The primary key of the table then prevents
 * a number from being both registered and in the inventory, without a global lock. Calls to such a number would loop.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`drop trigger phone_numbers_are_no_tracking_numbers on phone_numbers`.execute(db);
  await sql`drop function refuse_tracking_number`.execute(db);
  await sql`
    alter table tracking_numbers
      add column is_original boolean not null default false,
      alter column area_code drop not null,
      add constraint phone_numbers_are_no_tracking_numbers check (not is_original or state = 'retired'),
      add constraint tracking_numbers_have_area_code check (is_original or area_code is not null)`.execute(db);
  await sql`
    insert into tracking_numbers (phone_number, state, is_original)
    select distinct phone_number, 'retired', true from phone_numbers
    on conflict (phone_number) do update set is_original = true`.execute(db);
  await sql`drop index phone_numbers_by_number`.execute(db);
  await sql`drop index tracking_numbers_by_area_code`.execute(db);
  await sql`
    create index tracking_numbers_by_area_code on tracking_numbers (area_code, phone_number)
    where area_code is not null`.execute(db);
  await sql`
    create index tracking_numbers_of_inventory on tracking_numbers (phone_number)
    where area_code is not null`.execute(db);
}
