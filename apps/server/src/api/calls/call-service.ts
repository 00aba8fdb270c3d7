import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type CallFilter, type CallProgress, requireValidCallProgress, updateCallProgress } from "@calltrack/domain";
import {
  BatchCreateCallsResponseSchema,
  type Call,
  ForgetCallerResponseSchema,
  ListCallsResponseSchema,
  ReportCallsResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { Config } from "../../config/config.js";
import { requireEtagMatch, updateIfEtagMatches } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readListInBatches } from "../../database/page.js";
import {
  type BatchRecordResult,
  createFromValidRecords,
  listSuccessfulResults,
  summarizeBatch,
} from "../batches/batch-results.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { CALL_PAGED_LIST, type CallFilterWithCallerKey, listCalls } from "./call-list.js";
import type { CALL_METHODS } from "./call-methods.js";
import type { CallCounter } from "./call-metrics.js";
import { createCallRecorder } from "./call-recorder.js";
import { reportCalls } from "./call-report.js";
import { forgetCaller, requireCall, updateCall } from "./call-repository.js";
import { type CallerHasher, createCallerHasher } from "./caller-hasher.js";

export function createCallService(
  database: DatabaseAccess,
  { callerNumbers, poolRules }: Pick<Config, "callerNumbers" | "poolRules">,
  currentTime: () => Promise<Date>,
  countCall: CallCounter,
): ServiceImplementation<typeof CALL_METHODS> {
  const { db } = database;
  const keyOf = createCallerHasher(db);
  const recorder = createCallRecorder(database, keyOf, callerNumbers === "keep");
  return {
    async createCall(call, { own }) {
      const { response, isNew } = await recorder.record(call, own);
      if (isNew) countCall(response);
      return response;
    },

    async batchCreateCalls({ calls, callIds }, { own }) {
      const results = await createFromValidRecords(calls, (valid) => recorder.recordAll(valid, own));
      for (const { response, isNew } of listSuccessfulResults(results)) if (isNew) countCall(response);
      return batchResponse(results, callIds);
    },

    async importCallHistory({ calls, callIds }, { account }) {
      return batchResponse(
        await createFromValidRecords(calls, (valid) => recorder.recordHistory(account, valid)),
        callIds,
      );
    },

    getCall: ({ id }, { account }) => requireCall(db, account, id),

    async listCalls({ filter }, { account, readPage }) {
      const keyed = await keyFilter(keyOf, filter);
      const { entries, nextPageToken } = await readPage(nameOf(account, keyed), (bounds) =>
        listCalls(db, account, keyed, bounds),
      );
      return create(ListCallsResponseSchema, { calls: entries, nextPageToken });
    },

    async *exportCalls({ filter }, { account, context: { signal } }) {
      const keyed = await keyFilter(keyOf, filter);
      for await (const calls of readListInBatches(CALL_PAGED_LIST, signal, (bounds) =>
        listCalls(db, account, keyed, bounds),
      )) {
        yield* calls;
      }
    },

    async reportCalls(report, { account }) {
      const { maxReportedCalls } = database;
      const now = await currentTime();
      const rows = await reportCalls(db, account, report, poolRules.visitWindowDays, now, maxReportedCalls);
      return create(ReportCallsResponseSchema, { rows });
    },

    updateCall(update, { account, condition, origin }) {
      const find = () => requireCall(db, account, update.id);
      async function changeCall(): Promise<Call | undefined> {
        const before = await find();
        requireEtagMatch(condition, before);
        const { answeredAt, endedAt, outcome, recordingUrl = before.recordingUrl } = update;
        const isProgressGiven = [answeredAt, endedAt, outcome].some((value) => value !== undefined);
        if (!isProgressGiven && update.recordingUrl === undefined) return before;
        const progress = updateCallProgress(before.id, progressOf(before), update);
        // Only changed progress is validated. The progress that a phone system reported can be incomplete: an answered call may have no
        // `answered_at`.
        const after = isProgressGiven ? requireValidCallProgress(progress, await currentTime()) : progress;
        const changed = { ...after, recordingUrl, isProgressGiven };
        const updated = await updateCall(db, account, before, changed, condition, origin);
        if (updated !== undefined && updated.outcome !== before.outcome) countCall(updated);
        return updated;
      }
      return updateIfEtagMatches(condition, changeCall, find);
    },

    async forgetCaller({ callerNumber }, { account, origin }) {
      const calls = await forgetCaller(db, account, await keyOf(callerNumber), origin);
      return create(ForgetCallerResponseSchema, { calls });
    },
  };
}

function batchResponse(results: readonly BatchRecordResult<Call>[], callIds: readonly (string | undefined)[]) {
  const { refused, ...counts } = summarizeBatch(results);
  return create(BatchCreateCallsResponseSchema, {
    ...counts,
    refused: refused.map((each) => ({ ...each, callId: callIds[each.index] })),
  });
}

function progressOf({ startedAt, answeredAt, endedAt, outcome }: Call): CallProgress {
  return {
    startedAt: timestampDate(startedAt as NonNullable<typeof startedAt>),
    answeredAt: answeredAt && timestampDate(answeredAt),
    endedAt: endedAt && timestampDate(endedAt),
    outcome,
  };
}

async function keyFilter(
  keyOf: CallerHasher,
  { callerNumber, ...filter }: CallFilter,
): Promise<CallFilterWithCallerKey> {
  return { ...filter, callerKey: callerNumber === undefined ? undefined : await keyOf(callerNumber) };
}

/** Names a filtered list, so that a page token is valid only for the filter that it was issued for. The name contains no caller's number. */
function nameOf({ accountId }: ResolvedAccount, filter: CallFilterWithCallerKey): string {
  const { poolId, propertyToken, source, medium, outcome, rejectReason, callerKey, from, to } = filter;
  const filters = [poolId, propertyToken, source, medium, outcome, rejectReason, callerKey];
  const values = [...filters, from?.toISOString(), to?.toISOString()];
  return [accountId, ...values.map((value) => encodeURIComponent(value ?? ""))].join();
}
