import { columnNames, type ListColumns, type Parameter } from "@calltrack/postgres";
import { type Expression, type Selectable, sql } from "kysely";
import { statementTime } from "../../clock/clock.js";
import { auditCte, UPDATE_CTES } from "../../database/audit-cte.js";
import { auditedUpdate } from "../../database/audited-update.js";
import { eventCte } from "../../database/event-cte.js";
import { prepareList, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { TrackingNumberTable } from "../../database/tables/schema.js";
import { nextTime } from "../../database/update-time.js";
import { isResting } from "../../pool-management/number-supply.js";

const COLUMN_TYPES = {
  phone_number: "text",
  area_code: "text",
  account_id: "value",
  pool_id: "text",
  call_tracker_id: "text",
  free_from: "time",
  retires_immediately: "value",
  phone_system_id: "text",
  created_at: "time",
  updated_at: "time",
} as const;

const COLUMNS = columnNames(COLUMN_TYPES);

/** The account id is 0, because the inventory belongs to no account. */
const AUDITED = {
  type: "tracking_number",
  accountId: sql.lit(0),
  id: "phone_number",
  columns: [...COLUMNS.filter((column) => column !== "free_from"), "state"],
} as const;

/** The new `updated_at` of a changed number: the time of the pool clock, but always later than the old value. */
export const nextChangeTime = nextTime(statementTime, sql`updated_at`);

/** The state that the API shows. Free numbers in their rest period are `resting`. */
const currentState = sql<TrackingNumberRow["state"]>`
  case when state = 'free' and ${isResting} then 'resting' else state end`;

export type TrackingNumberRow = Pick<Selectable<TrackingNumberTable>, (typeof COLUMNS)[number]> & {
  readonly area_code: string;
  readonly state: Selectable<TrackingNumberTable>["state"] | "resting";
};

export const TRACKING_NUMBER_TYPES: ListColumns<TrackingNumberRow> = { ...COLUMN_TYPES, state: "text" };

export type AddResultRow =
  | { readonly phone_number: string; readonly is_added: true }
  | ({ readonly phone_number: string; readonly is_added: false } & ExistingNumber);

export interface ExistingNumber {
  /** Null if the number is an account's original number and not in the inventory. */
  readonly area_code: string | null;
  readonly state: Selectable<TrackingNumberTable>["state"];
  readonly phone_system_id: string | null;
}

/** See `addTrackingNumbers`. Inserts in the order of the digits, so that concurrent additions of the same numbers cannot deadlock. */
export const addNumbersStatement = prepareStatement<{ numbers: string; origin: string }, AddResultRow>(
  (db, parameter) =>
    db
      .with("given", (cte) =>
        cte
          .selectFrom(givenNumbers(parameter("numbers")))
          .leftJoin("tracking_numbers as known", "known.phone_number", "given.phoneNumber")
          .select(["given.phoneNumber", "given.areaCode", "given.phoneSystemId"])
          .select(["known.area_code", "known.state", "known.phone_system_id"]),
      )
      .with("added", (cte) =>
        cte
          .insertInto("tracking_numbers")
          .columns(["phone_number", "area_code", "phone_system_id", "free_from", "created_at", "updated_at"])
          .expression((from) =>
            from
              .selectFrom("given")
              .select(["phoneNumber", "areaCode", "phoneSystemId"])
              .select([statementTime.as("free_from"), statementTime.as("created_at"), statementTime.as("updated_at")])
              .where("state", "is", null)
              .orderBy("phoneNumber"),
          )
          .onConflict((conflict) => conflict.column("phone_number").doNothing())
          .returning(AUDITED.columns),
      )
      .with("audited", () => auditCte({ ...AUDITED, after: "added", origin: parameter("origin") }))
      .with("logged", () => {
        const { accountId } = AUDITED;
        const number = sql.ref("added.phone_number");
        return eventCte({ type: "tracking_number.added", accountId, number, from: sql.table("added") });
      })
      .selectFrom("added")
      .select(["phone_number", sql<boolean>`true`.as("is_added")])
      .select([sql<string | null>`null`.as("area_code"), sql<string | null>`null`.as("state")])
      .select(sql<string | null>`null::uuid`.as("phone_system_id"))
      .unionAll((from) =>
        from
          .selectFrom("given")
          .select(["phoneNumber as phone_number", sql<boolean>`false`.as("is_added"), "area_code", "state"])
          .select("phone_system_id")
          .where("state", "is not", null),
      )
      .$castTo<AddResultRow>(),
);

interface MoveParameters {
  /** The phone numbers in `numbers`: Citus cannot lock rows that it finds by the elements of a JSON value. */
  phoneNumbers: readonly string[];
  numbers: string;
  origin: string;
}

/** Assigns numbers to the given phone systems. Locks them in the order of `addNumbersStatement`. */
export const moveNumbersStatement = prepareStatement<MoveParameters, { phone_number: string }>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte
        .selectFrom("tracking_numbers")
        .select(AUDITED.columns)
        .where("phone_number", "=", sql<string>`any(${parameter("phoneNumbers")}::text[])`)
        .orderBy("phone_number")
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("tracking_numbers as number")
        .from("before")
        .innerJoin(givenNumbers(parameter("numbers")), "given.phoneNumber", "before.phone_number")
        .set(({ ref }) => ({
          phone_system_id: ref("given.phoneSystemId"),
          updated_at: nextTime(statementTime, sql`number.updated_at`),
        }))
        .whereRef("number.phone_number", "=", "before.phone_number")
        .returning(AUDITED.columns.map((column) => `number.${column}` as const)),
    )
    .with("audited", () => auditCte({ ...AUDITED, ...UPDATE_CTES, isOfMany: true, origin: parameter("origin") }))
    .selectFrom("updated")
    .select("phone_number"),
);

interface PageParameters {
  after: string;
  limit: number;
}

interface ListParameters extends PageParameters {
  areaCode: string;
  state: TrackingNumberRow["state"] | null;
}

export const listNumbersStatement = prepareList<PageParameters, TrackingNumberRow>(
  TRACKING_NUMBER_TYPES,
  selectNumbersAfter,
);

/** For one area code, by its index. A null `state` matches all states. */
export const listNumbersByAreaCodeStatement = prepareList<ListParameters, TrackingNumberRow>(
  TRACKING_NUMBER_TYPES,
  (db, parameter) => selectPage(db, parameter).where("area_code", "=", parameter("areaCode")),
);

/**
 * A statement for each state. The state is a literal, so that PostgreSQL plans by the number of rows with that state. The database stores
 * resting numbers as free.
 */
export const LIST_BY_STATE: Readonly<Record<TrackingNumberRow["state"], ListByState>> = {
  free: prepareListOf("free", sql`not ${isResting}`),
  resting: prepareListOf("free", isResting),
  assigned: prepareListOf("assigned"),
  retiring: prepareListOf("retiring"),
  retired: prepareListOf("retired"),
};

type ListByState = typeof listNumbersStatement;

function prepareListOf(state: Selectable<TrackingNumberTable>["state"], condition = sql<boolean>`true`): ListByState {
  return prepareList<PageParameters, TrackingNumberRow>(TRACKING_NUMBER_TYPES, (db, parameter) =>
    selectNumbersAfter(db, parameter).where("state", "=", sql.lit(state)).where(condition),
  );
}

/** How many numbers of an area code are in each state. */
type CountRow = Readonly<Record<TrackingNumberRow["state"], number>> & { readonly area_code: string };

export const countNumbersStatement = prepareStatement<object, CountRow>((db) =>
  countNumbers(db, selectTrackingNumbers(db)),
);

/** For one area code, by its index. */
export const countNumbersByAreaCodeStatement = prepareStatement<{ areaCode: string }, CountRow>((db, parameter) =>
  countNumbers(db, selectTrackingNumbers(db).where("area_code", "=", parameter("areaCode"))),
);

/** `callTracker` is the holder of the number; null if it has none. */
interface RetireParameters {
  phoneNumber: string;
  callTracker: string | null;
  immediately: boolean;
  origin: string;
}

/** Retires a number. Changes nothing if its holder has changed, or if it is already being retired at least as urgently. */
export const retireNumberStatement = prepareStatement<RetireParameters, TrackingNumberRow>((db, parameter) =>
  auditedUpdate(db, "tracking_numbers", {
    ...AUDITED,
    key: { phone_number: parameter("phoneNumber") },
    before: db
      .selectFrom("tracking_numbers")
      .select([...COLUMNS, currentState.as("state")])
      .where("phone_number", "=", parameter("phoneNumber"))
      .forNoKeyUpdate(),
    condition: sql<boolean>`case
      when ${parameter("callTracker")}::uuid is null then state = 'free'
      else state in ('assigned', 'retiring') and call_tracker_id = ${parameter("callTracker")}
        and not (state = 'retiring' and (retires_immediately or not ${parameter("immediately")}::boolean))
    end`,
    set: {
      state: sql<"retired" | "retiring">`case when state = 'free' then 'retired' else 'retiring' end`,
      retires_immediately: sql<boolean>`state <> 'free' and ${parameter("immediately")}::boolean`,
      updated_at: nextChangeTime,
    },
    returning: [...COLUMNS, "state"],
    event: { type: "tracking_number.retired", number: sql.ref("updated.phone_number") },
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select([...COLUMNS, "state"])
    .$narrowType<{ area_code: string }>(),
);

export const findNumberStatement = prepareStatement<{ phoneNumber: string }, TrackingNumberRow>((db, parameter) =>
  selectTrackingNumbers(db).where("phone_number", "=", parameter("phoneNumber")),
);

function selectPage(db: QueryBuilder, parameter: Parameter<ListParameters>) {
  return selectNumbersAfter(db, parameter).where(
    sql<boolean>`${currentState} = coalesce(${parameter("state")}, ${currentState})`,
  );
}

function selectNumbersAfter(db: QueryBuilder, parameter: Parameter<PageParameters>) {
  return selectTrackingNumbers(db)
    .where("phone_number", ">", parameter("after"))
    .orderBy("phone_number")
    .limit(sql<number>`${parameter("limit")}`);
}

/** Selects the numbers in the inventory. The table also has original numbers, without an area code, which are excluded from it. */
export function selectTrackingNumbers(db: QueryBuilder) {
  return db
    .selectFrom("tracking_numbers")
    .select([...COLUMNS, currentState.as("state")])
    .where("area_code", "is not", null)
    .$narrowType<{ area_code: string }>();
}

function countNumbers(db: QueryBuilder, numbers: ReturnType<typeof selectTrackingNumbers>) {
  return db
    .selectFrom(numbers.as("number"))
    .select(["area_code", countOf("free"), countOf("resting"), countOf("assigned"), countOf("retiring")])
    .select(countOf("retired"))
    .groupBy("area_code")
    .orderBy(sql`area_code collate "C"`);
}

function countOf<S extends TrackingNumberRow["state"]>(state: S) {
  return sql<number>`(count(*) filter (where state = ${sql.lit(state)}))::integer`.as(state);
}

/** Converts a JSON array of numbers to rows. */
function givenNumbers(numbers: Expression<string>) {
  return sql<{
    phoneNumber: string;
    areaCode: string;
    phoneSystemId: string | null;
  }>`json_to_recordset(${numbers}::json)`.as<"given">(
    sql`given ("phoneNumber" text, "areaCode" text, "phoneSystemId" uuid)`,
  );
}
