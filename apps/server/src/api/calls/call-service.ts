import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type CallFilter,
  type CallProgress,
  type CallUpdate,
  parseBatchCreateCalls,
  parseCreateCall,
  parseExportCalls,
  parseForgetCaller,
  parseGetCall,
  parseListCalls,
  parseReportCalls,
  parseUpdateCall,
  requireValidProgress,
  updateProgress,
} from "@calltrack/domain";
import {
  BatchCreateCallsResponseSchema,
  type Call,
  type CallService,
  ForgetCallerResponseSchema,
  ListCallsResponseSchema,
  ReportCallsResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import { ownAccountOf } from "../../access/caller-context.js";
import { changeOriginOf } from "../../access/change-origin.js";
import type { Config } from "../../config/config.js";
import { parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readBatches, readPage } from "../../database/page.js";
import type { CallObserver } from "../../observability/metrics/call-metrics.js";
import { createValid, listCreations, summarizeBatch } from "../batches/batch-results.js";
import { CALLS, type KeyedCallFilter, listCalls } from "./call-list.js";
import { createCallRecorder } from "./call-recorder.js";
import { reportCalls } from "./call-report.js";
import { forgetCaller, requireCall, updateCall } from "./call-repository.js";
import { type CallerHasher, createCallerHasher } from "./caller-hasher.js";

/** Creates the implementation of CallService. */
export function createCallService(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  {
    callRetentionMs: retentionMs,
    callerNumbers,
    poolRules,
  }: Pick<Config, "callRetentionMs" | "callerNumbers" | "poolRules">,
  currentTime: () => Promise<Date>,
  countCall: CallObserver,
): ServiceImpl<typeof CallService> {
  const { db } = database;
  const keyOf = createCallerHasher(db);
  const recorder = createCallRecorder(database, keyOf, callerNumbers === "keep");
  const period = async () => ({ now: await currentTime(), retentionMs });
  return {
    async createCall(request, { values }) {
      const call = parseCreateCall(request, await period());
      const { response, isNew } = await recorder.record(call, ownAccountOf(values));
      if (isNew) countCall(response);
      return response;
    },

    async batchCreateCalls(request, { values }) {
      const parsed = parseBatchCreateCalls(request, await period());
      const results = await createValid(parsed, (calls) => recorder.recordAll(calls, ownAccountOf(values)));
      for (const { response, isNew } of listCreations(results)) if (isNew) countCall(response);
      const { refused, ...counts } = summarizeBatch(results);
      return create(BatchCreateCallsResponseSchema, {
        ...counts,
        refused: refused.map((each) => ({ ...each, callId: request.calls[each.index]?.callId })),
      });
    },

    async getCall(request) {
      const { account, id } = parseGetCall(request);
      return requireCall(db, await accounts.require(account), id);
    },

    async listCalls(request) {
      const { account, filter, page } = parseListCalls(request);
      const keyed = await keyFilter(keyOf, filter);
      const { entries, nextPageToken } = await readPage(CALLS, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: nameOf(owner, keyed), entries: await listCalls(db, owner, keyed, bounds) };
      });
      return create(ListCallsResponseSchema, { calls: entries, nextPageToken });
    },

    async *exportCalls(request, { signal }) {
      const { account, filter } = parseExportCalls(request);
      const [owner, keyed] = [await accounts.require(account), await keyFilter(keyOf, filter)];
      for await (const calls of readBatches(CALLS, signal, (bounds) => listCalls(db, owner, keyed, bounds))) {
        yield* calls;
      }
    },

    async reportCalls(request) {
      const { account, ...report } = parseReportCalls(request);
      const owner = await accounts.require(account);
      const { maxReportedCalls } = database;
      const now = await currentTime();
      const rows = await reportCalls(db, owner, report, poolRules.visitWindowDays, now, maxReportedCalls);
      return create(ReportCallsResponseSchema, { rows });
    },

    async updateCall(request, context) {
      const update = parseUpdateCall(request);
      const condition = parseEtagCondition(request);
      const account = await accounts.require(update.account);
      for (;;) {
        const before = await requireCall(db, account, update.id);
        requireEtagMatch(condition, before);
        const after = requireValidProgress(updateProgress(before.id, progressOf(before), update), await currentTime());
        if (isEmpty(update)) return before;
        const recordingUrl = update.recordingUrl ?? before.recordingUrl;
        const updated = await updateCall(
          db,
          account,
          before,
          { ...after, recordingUrl },
          condition,
          changeOriginOf(context),
        );
        if (updated === undefined) continue;
        if (updated.outcome !== before.outcome) countCall(updated);
        return updated;
      }
    },

    async forgetCaller(request, context) {
      const { account, callerNumber } = parseForgetCaller(request);
      const owner = await accounts.require(account);
      const calls = await forgetCaller(db, owner, await keyOf(callerNumber), changeOriginOf(context));
      return create(ForgetCallerResponseSchema, { calls });
    },
  };
}

function progressOf({ startedAt, answeredAt, endedAt, outcome }: Call): CallProgress {
  return {
    startedAt: timestampDate(startedAt as NonNullable<typeof startedAt>),
    answeredAt: answeredAt && timestampDate(answeredAt),
    endedAt: endedAt && timestampDate(endedAt),
    outcome,
  };
}

function isEmpty({ answeredAt, endedAt, outcome, recordingUrl }: CallUpdate): boolean {
  return [answeredAt, endedAt, outcome, recordingUrl].every((value) => value === undefined);
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
