import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type CallFilter, type CallProgress, requireValidProgress, updateProgress } from "@calltrack/domain";
import {
  BatchCreateCallsResponseSchema,
  type Call,
  ForgetCallerResponseSchema,
  ListCallsResponseSchema,
  ReportCallsResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { Config } from "../../config/config.js";
import { requireEtagMatch, updateMatching } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readBatches } from "../../database/page.js";
import { type BatchResult, createValidRecords, listCreations, summarizeBatch } from "../batches/batch-results.js";
import type { ServiceOf } from "../methods/method-row.js";
import { CALLS, type KeyedCallFilter, listCalls } from "./call-list.js";
import type { CALL_METHODS } from "./call-methods.js";
import type { CallObserver } from "./call-metrics.js";
import { createCallRecorder } from "./call-recorder.js";
import { reportCalls } from "./call-report.js";
import { forgetCaller, requireCall, updateCall } from "./call-repository.js";
import { type CallerHasher, createCallerHasher } from "./caller-hasher.js";

export function createCallService(
  database: DatabaseAccess,
  { callerNumbers, poolRules }: Pick<Config, "callerNumbers" | "poolRules">,
  currentTime: () => Promise<Date>,
  countCall: CallObserver,
): ServiceOf<typeof CALL_METHODS> {
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
      const results = await createValidRecords(calls, (valid) => recorder.recordAll(valid, own));
      for (const { response, isNew } of listCreations(results)) if (isNew) countCall(response);
      return batchResponse(results, callIds);
    },

    async importCallHistory({ calls, callIds }, { account }) {
      return batchResponse(await createValidRecords(calls, (valid) => recorder.recordHistory(account, valid)), callIds);
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
      for await (const calls of readBatches(CALLS, signal, (bounds) => listCalls(db, account, keyed, bounds))) {
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
        const progress = updateProgress(before.id, progressOf(before), update);
        // Progress from reports is not validated, because it can be incomplete: an answer may have no time.
        const after = isProgressGiven ? requireValidProgress(progress, await currentTime()) : progress;
        const changed = { ...after, recordingUrl, isProgressGiven };
        const updated = await updateCall(db, account, before, changed, condition, origin);
        if (updated !== undefined && updated.outcome !== before.outcome) countCall(updated);
        return updated;
      }
      return updateMatching(condition, changeCall, find);
    },

    async forgetCaller({ callerNumber }, { account, origin }) {
      const calls = await forgetCaller(db, account, await keyOf(callerNumber), origin);
      return create(ForgetCallerResponseSchema, { calls });
    },
  };
}

function batchResponse(results: readonly BatchResult<Call>[], callIds: readonly (string | undefined)[]) {
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

async function keyFilter(keyOf: CallerHasher, { callerNumber, ...filter }: CallFilter): Promise<KeyedCallFilter> {
  return { ...filter, callerKey: callerNumber === undefined ? undefined : await keyOf(callerNumber) };
}

/** Names a filtered list, so that a page token is valid only for its filter. Page tokens contain no callers' numbers. */
function nameOf({ accountId }: ResolvedAccount, filter: KeyedCallFilter): string {
  const { poolId, propertyToken, source, medium, outcome, callerKey, from, to } = filter;
  const values = [poolId, propertyToken, source, medium, outcome, callerKey, from?.toISOString(), to?.toISOString()];
  return [accountId, ...values.map((value) => encodeURIComponent(value ?? ""))].join();
}
