import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { CLOCK_TOLERANCE_MS } from "./call-progress.js";
import { FieldCheck } from "./field-check.js";
import type { RecordVisitsRequest, VisitRecord } from "./gen/calltracking/v1/traffic_pb.js";
import { findSourceNameProblem, normalizeSourceName } from "./source-name.js";
import { findNameProblem, findTokenProblem } from "./text.js";

const MAX_RECORDS = 1000;
const MAX_VISITS = 1_000_000;

/** One or more visits to one property from one source, to be counted. */
export interface NewVisitRecord {
  /** The record's id, unique within the account, by which a repeated record is recognized and not counted again. */
  readonly eventId: string;
  readonly propertyToken: string;
  readonly source: string;
  readonly medium: string;
  /** Number of visits, 1 to 1,000,000. */
  readonly count: number;
  readonly occurredAt: Date;
}

/** One visit to a property, as the visited page reports it. */
export interface ReportedVisit extends Pick<NewVisitRecord, "eventId" | "propertyToken" | "source" | "medium"> {
  /** The token or id of the account to which the property belongs. */
  readonly account: string;
}

/**
 * @param now the time of a visit whose record states no time. Records with a time more than `CLOCK_TOLERANCE_MS` after `now` are rejected.
 * @throws DomainError `FIELD_INVALID`
 */
export function parseRecordVisitsRequest(request: RecordVisitsRequest, now: Date) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const count = request.visits.length;
  if (count < 1 || count > MAX_RECORDS) check.report("visits", `must contain 1 to ${MAX_RECORDS} records`);
  const records = count > MAX_RECORDS ? [] : request.visits;
  return check.done({ account, visits: records.map((record, index) => readRecord(check, record, index, now)) });
}

function readRecord(check: FieldCheck, record: VisitRecord, index: number, now: Date): NewVisitRecord {
  // Builds the paths of fields only for violations, because a busy server reads 100,000 records per second.
  const report = (field: string, problem: string | undefined) =>
    problem === undefined || check.report(`visits[${index}].${field}`, problem);
  const { eventId, propertyToken, source, medium, count = 1, occurredAt } = record;
  report("event_id", eventId === undefined ? "is required" : findNameProblem(eventId));
  report("property_token", propertyToken === undefined ? "is required" : findTokenProblem(propertyToken));
  report("source", source === undefined ? "is required" : findSourceNameProblem(source));
  report("medium", medium === undefined ? "is required" : findSourceNameProblem(medium));
  report("count", findCountProblem(count));
  report("occurred_at", occurredAt && findTimeProblem(occurredAt, now));
  const at = occurredAt === undefined ? now : timestampDate(occurredAt);
  const names = { source: normalizeSourceName(source ?? ""), medium: normalizeSourceName(medium ?? "") };
  return { eventId, propertyToken, ...names, count, occurredAt: at } as NewVisitRecord;
}

function findCountProblem(count: number): string | undefined {
  return count >= 1 && count <= MAX_VISITS ? undefined : `must be between 1 and ${MAX_VISITS}`;
}

function findTimeProblem(occurredAt: Timestamp, now: Date): string | undefined {
  const time = timestampDate(occurredAt).getTime();
  if (Number.isNaN(time)) return "must be a valid time";
  return time <= now.getTime() + CLOCK_TOLERANCE_MS
    ? undefined
    : "must not be in the future: correct the sender's clock";
}
