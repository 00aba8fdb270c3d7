import { type ColumnJsonTypes, listColumnNames, type ParameterGetter } from "@calltrack/postgres";
import { type Expression, type Selectable, sql } from "kysely";
import { clockNowSubqueryExpression } from "../../clock/clock.js";
import { buildAuditCte, UPDATE_CTE_NAMES } from "../../database/audit-cte.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareList, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { TrackingNumberTable } from "../../database/tables/schema.js";
import { buildNextTimeExpression } from "../../database/update-time.js";
import { isNumberRestingExpression } from "../../pool-management/number-supply.js";

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

const COLUMNS = listColumnNames(COLUMN_TYPES);

/** The account id is 0, because tracking numbers in the inventory belong to no account. */
const AUDITED = {
  type: "tracking_number",
  accountId: sql.lit(0),
  id: "phone_number",
  columns: [...COLUMNS.filter((column) => column !== "free_from"), "state"],
} as const;

/** The new `updated_at` of a changed number: the time of the pool clock, but always later than the old value. */
export const numberUpdateTimeExpression = buildNextTimeExpression(clockNowSubqueryExpression, sql`updated_at`);

/** The state that the API shows. Free numbers in their rest period are `resting`. */
const currentState = sql<TrackingNumberRow["state"]>`
  case when state = 'free' and ${isNumberRestingExpression} then 'resting' else state end`;

export type TrackingNumberRow = Pick<Selectable<TrackingNumberTable>, (typeof COLUMNS)[number]> & {
  readonly area_code: string;
  readonly state: Selectable<TrackingNumberTable>["state"] | "resting";
};

export const TRACKING_NUMBER_COLUMN_TYPES: ColumnJsonTypes<TrackingNumberRow> = { ...COLUMN_TYPES, state: "text" };

export type AddTrackingNumberResultRow =
  | { readonly phone_number: string; readonly is_added: true }
  | ({ readonly phone_number: string; readonly is_added: false } & ExistingTrackingNumber);

export interface ExistingTrackingNumber {
  /** Null if the number is an account's original number and not in the inventory. */
  readonly area_code: string | null;
  readonly state: Selectable<TrackingNumberTable>["state"];
  readonly phone_system_id: string | null;
}

/** See `addTrackingNumbers`. Inserts in the order of the digits, so that concurrent additions of the same numbers cannot deadlock. */
export const addTrackingNumbersStatement = prepareStatement<
  { numbers: string; origin: string },
  AddTrackingNumberResultRow
>((db, parameter) =>
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
            .select([
              clockNowSubqueryExpression.as("free_from"),
              clockNowSubqueryExpression.as("created_at"),
              clockNowSubqueryExpression.as("updated_at"),
            ])
            .where("state", "is", null)
            .orderBy("phoneNumber"),
        )
        .onConflict((conflict) => conflict.column("phone_number").doNothing())
        .returning(AUDITED.columns),
    )
    .with("audited", () => buildAuditCte({ ...AUDITED, after: "added", origin: parameter("origin") }))
    .with("logged", () => {
      const { accountId } = AUDITED;
      const number = sql.ref("added.phone_number");
      return buildEventCte({ type: "tracking_number.added", accountId, number, from: sql.table("added") });
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
    .$castTo<AddTrackingNumberResultRow>(),
);

interface MoveParameters {
  /** The phone numbers in `numbers`: Citus cannot lock rows that it finds by the elements of a JSON value. */
  phoneNumbers: readonly string[];
  numbers: string;
  origin: string;
}

/** Assigns numbers to the given phone systems. Locks the numbers in the order of `addTrackingNumbersStatement`. */
export const assignPhoneSystemsStatement = prepareStatement<MoveParameters, { phone_number: string }>((db, parameter) =>
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
          updated_at: buildNextTimeExpression(clockNowSubqueryExpression, sql`number.updated_at`),
        }))
        .whereRef("number.phone_number", "=", "before.phone_number")
        .returning(AUDITED.columns.map((column) => `number.${column}` as const)),
    )
    .with("audited", () =>
      buildAuditCte({ ...AUDITED, ...UPDATE_CTE_NAMES, isOfMany: true, origin: parameter("origin") }),
    )
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

export const listTrackingNumbersStatement = prepareList<PageParameters, TrackingNumberRow>(
  TRACKING_NUMBER_COLUMN_TYPES,
  selectNumbersAfter,
);

/** Lists the numbers of one area code with the index on area codes. A null `state` matches all states. */
export const listTrackingNumbersByAreaCodeStatement = prepareList<ListParameters, TrackingNumberRow>(
  TRACKING_NUMBER_COLUMN_TYPES,
  (db, parameter) => selectPage(db, parameter).where("area_code", "=", parameter("areaCode")),
);

/**
 * The statements that list the numbers in one state, keyed by the state. The state is a literal in the statement, so that PostgreSQL's plan considers
 * how many rows have that state. The database stores resting numbers as free.
 */
export const LIST_STATEMENTS_BY_STATE: Readonly<Record<TrackingNumberRow["state"], ListByState>> = {
  free: prepareListOf("free", sql`not ${isNumberRestingExpression}`),
  resting: prepareListOf("free", isNumberRestingExpression),
  assigned: prepareListOf("assigned"),
  retiring: prepareListOf("retiring"),
  retired: prepareListOf("retired"),
};

type ListByState = typeof listTrackingNumbersStatement;

function prepareListOf(state: Selectable<TrackingNumberTable>["state"], condition = sql<boolean>`true`): ListByState {
  return prepareList<PageParameters, TrackingNumberRow>(TRACKING_NUMBER_COLUMN_TYPES, (db, parameter) =>
    selectNumbersAfter(db, parameter).where("state", "=", sql.lit(state)).where(condition),
  );
}

/** How many numbers of an area code are in each state. */
type CountRow = Readonly<Record<TrackingNumberRow["state"], number>> & { readonly area_code: string };

export const countTrackingNumbersStatement = prepareStatement<object, CountRow>((db) =>
  countNumbers(db, selectTrackingNumbers(db)),
);

/** Counts the numbers of one area code with the index on area codes. */
export const countTrackingNumbersByAreaCodeStatement = prepareStatement<{ areaCode: string }, CountRow>(
  (db, parameter) => countNumbers(db, selectTrackingNumbers(db).where("area_code", "=", parameter("areaCode"))),
);

/** `callTracker` is the holder of the number; null if the number has no holder. */
interface RetireParameters {
  phoneNumber: string;
  callTracker: string | null;
  immediately: boolean;
  origin: string;
}

/** Retires a number. Changes nothing if the number's holder has changed, or if the number is already being retired at least as urgently. */
export const retireTrackingNumberStatement = prepareStatement<RetireParameters, TrackingNumberRow>((db, parameter) =>
  buildAuditedUpdate(db, "tracking_numbers", {
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
      updated_at: numberUpdateTimeExpression,
    },
    returning: [...COLUMNS, "state"],
    event: { type: "tracking_number.retired", number: sql.ref("updated.phone_number") },
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select([...COLUMNS, "state"])
    .$narrowType<{ area_code: string }>(),
);

export const findTrackingNumberStatement = prepareStatement<{ phoneNumber: string }, TrackingNumberRow>(
  (db, parameter) => selectTrackingNumbers(db).where("phone_number", "=", parameter("phoneNumber")),
);

function selectPage(db: QueryBuilder, parameter: ParameterGetter<ListParameters>) {
  return selectNumbersAfter(db, parameter).where(
    sql<boolean>`${currentState} = coalesce(${parameter("state")}, ${currentState})`,
  );
}

function selectNumbersAfter(db: QueryBuilder, parameter: ParameterGetter<PageParameters>) {
  return selectTrackingNumbers(db)
    .where("phone_number", ">", parameter("after"))
    .orderBy("phone_number")
    .limit(sql<number>`${parameter("limit")}`);
}

/** Selects the numbers in the inventory. Rows without an area code are original numbers, which are excluded from the inventory. */
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

/** Converts a JSON array of tracking numbers to rows. */
function givenNumbers(numbers: Expression<string>) {
  return sql<{
    phoneNumber: string;
    areaCode: string;
    phoneSystemId: string | null;
  }>`json_to_recordset(${numbers}::json)`.as<"given">(
    sql`given ("phoneNumber" text, "areaCode" text, "phoneSystemId" uuid)`,
  );
}
