import { timestampDate } from "@bufbuild/protobuf/wkt";
import { deriveDefaultCallOutcome } from "@calltrack/domain";
import {
  type Call,
  CallOutcome,
  CallOutcomeSchema,
  CallService,
  type CreateCallRequest,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { RowFields } from "../import/import-row.js";
import {
  createBatchOutcomes,
  createFailureOutcome,
  createRefusalOutcome,
  type RowOutcome,
} from "../import/row-outcome.js";
import type { RowSender } from "../import/row-sender.js";
import type { Invocation } from "../invocation/invocation.js";
import { findEnumName } from "../text/enum-name.js";
import { createRecordedCallFinder, type RecordedCallFinder } from "./recorded-call-finder.js";

/** Maximum number of calls in one request. */
const BATCH_SIZE = 1000;

/** Maximum number of concurrent requests that read or complete the existing calls of a batch. */
const MAX_READS = 20;

/** The facts in which a call in the file can differ from the recorded call. */
type CallFacts = Pick<CreateCallRequest, "answeredAt" | "endedAt" | "outcome" | "recordingUrl">;

/**
 * Creates a sender that records calls, and completes existing calls that are in progress. If a recorded call has ended with facts other than those in
 * the file, the sender reports the difference and changes nothing.
 *
 * @param skipsUntracked whether a call to a number that is not a tracking number is skipped instead of rejected.
 */
export function createCallSender(invocation: Invocation, skipsUntracked: boolean): RowSender {
  const client = invocation.client(CallService, invocation.host.interrupt.drop);

  /** Compares a call in the file with the recorded call, and adds the facts that the recorded call lacks. Returns undefined if nothing differs. */
  async function settle(fields: RowFields, recorded: RecordedCallFinder): Promise<RowOutcome | undefined> {
    try {
      const call = await recorded.find(fields);
      const facts = fields as unknown as CallFacts;
      const difference = differenceOf(call, facts);
      if (difference !== undefined) return { kind: "different", reason: difference };
      const change = missingFacts(call, facts);
      if (Object.keys(change).length === 0) return undefined;
      await client.updateCall({ accountId: call.accountToken, id: call.id, ...change });
      return { kind: "completed" };
    } catch (error) {
      return createFailureOutcome(error);
    }
  }

  return {
    batchSize: BATCH_SIZE,
    listField: "calls",
    async send(rows) {
      const { created, alreadyThere, refused } = await client.batchCreateCalls({ calls: [...rows] });
      const known = new Map<number, RowOutcome>(
        refused.map((refusal) => [
          refusal.index,
          skipsUntracked && refusal.reason === "TRACKING_NUMBER_NOT_FOUND"
            ? {
                kind: "skipped",
                reason: `the dialed number ${rows[refusal.index]?.trackingNumber} is not a tracking number`,
              }
            : createRefusalOutcome(refusal),
        ]),
      );
      // The response contains only the number of calls that already existed, so every accepted call with facts to compare is looked up.
      const open =
        alreadyThere === 0 ? [] : [...rows.keys()].filter((index) => !known.has(index) && hasFacts(rows[index]));
      const next = open.values();
      const recorded = createRecordedCallFinder(
        client,
        open.map((index) => rows[index] as RowFields),
      );
      const settleNext = async () => {
        for (const index of next) {
          const outcome = await settle(rows[index] as RowFields, recorded);
          if (outcome !== undefined) known.set(index, outcome);
        }
      };
      await Promise.all(Array.from({ length: MAX_READS }, settleNext));
      return createBatchOutcomes(rows, created, (_, index) => known.get(index));
    },
  };
}

/** Creates a sender that records an account's calls from the time before Calltrack. */
export function createCallHistorySender(invocation: Invocation, accountId: string): RowSender {
  const client = invocation.client(CallService, invocation.host.interrupt.drop);
  return {
    batchSize: BATCH_SIZE,
    listField: "calls",
    async send(rows) {
      const { created, refused } = await client.importCallHistory({ accountId, calls: [...rows] });
      const refusals = new Map(refused.map((refusal) => [refusal.index, createRefusalOutcome(refusal)]));
      return createBatchOutcomes(rows, created, (_, index) => refusals.get(index));
    },
  };
}

/** Reports whether a call in the file has facts that the recorded call may lack or contradict. */
function hasFacts(fields: RowFields | undefined): boolean {
  return ["answeredAt", "endedAt", "recordingUrl"].some((name) => fields?.[name] !== undefined);
}

/** Returns the facts to add to a recorded call: any missing fact if the call is in progress, but only the recording if it has ended. */
function missingFacts(call: Call, facts: CallFacts): Partial<CallFacts> {
  const { answeredAt, endedAt, outcome, recordingUrl } = facts;
  const isOpen = call.endedAt === undefined;
  return {
    ...(isOpen && call.answeredAt === undefined && answeredAt && { answeredAt }),
    ...(isOpen && endedAt && { endedAt, ...(outcome !== undefined && { outcome }) }),
    ...(call.recordingUrl === undefined && recordingUrl !== undefined && { recordingUrl }),
  };
}

/** Describes how a recorded call that has ended differs from the call in the file; undefined if they are equal. */
function differenceOf(call: Call, facts: CallFacts): string | undefined {
  if (facts.endedAt === undefined || call.endedAt === undefined) return undefined;
  const recordingUrl = call.recordingUrl ?? facts.recordingUrl;
  const [recorded, given] = [
    { ...call, recordingUrl },
    { recordingUrl, ...facts },
  ].map(factsText);
  if (recorded === given) return undefined;
  return `call ${JSON.stringify(call.callId)} is recorded as ${recorded}, but the file says ${given}: the recorded call was not changed`;
}

function factsText({ answeredAt, endedAt, outcome, recordingUrl }: CallFacts): string {
  const [answered, ended] = [answeredAt, endedAt].map((time) => time && timestampDate(time));
  const known = outcome ?? deriveDefaultCallOutcome({ answeredAt: answered, endedAt: ended });
  // Earlier releases imported abandoned calls as missed, so the two outcomes count as equal.
  const compared = known === CallOutcome.ABANDONED ? CallOutcome.MISSED : known;
  const name = findEnumName(CallOutcomeSchema, compared);
  const times = [answered && `answered ${answered.toISOString()}`, ended && `ended ${ended.toISOString()}`];
  const recording = recordingUrl && `recording ${recordingUrl}`;
  return [name, ...times, recording].filter((part) => part !== undefined).join(", ");
}
