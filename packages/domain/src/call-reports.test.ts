import fc from "fast-check";
import { expect, test } from "vitest";
import { type CallEvidence, findEarliestReportedTime, mergeCallEvidence } from "./call-evidence.js";
import { deriveCallProgress } from "./derived-call-progress.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";
import { ABANDONED_LEG_END, type LegOutcome } from "./leg-end.js";

/** The actual course of a call: the duration of ringing and of talking, in milliseconds, and the outcome. */
interface TrueCall {
  readonly rang: number;
  /** Undefined if nobody answered. */
  readonly talked: number | undefined;
  readonly outcome: Exclude<LegOutcome, "answered">;
  readonly isAbandoned: boolean;
}

/**
 * A report from a phone system: the time at which it is sent, and the evidence in it. The evidence can depend on the time at which the report arrives.
 */
interface Report {
  readonly sentAt: number;
  readonly start?: number;
  readonly say: (arrivedAt: number) => CallEvidence;
}

const BEGIN = Date.UTC(2026, 10, 26, 12);

const iso = (ms: number) => new Date(BEGIN + ms).toISOString();

/** Returns the outcome of a call, and the milliseconds from its start to its end. */
function endOf({ rang, talked, outcome, isAbandoned }: TrueCall) {
  const end = talked === undefined ? (isAbandoned ? ABANDONED_LEG_END : { outcome }) : { outcome: "answered" as const };
  return { end, endedAt: rang + (talked ?? 0) };
}

const voice = (start?: number): Report => ({
  sentAt: 0,
  ...(start !== undefined && { start }),
  say: (at) => ({ answer: { isPrompted: false, isRecorded: false, sentAt: iso(at) } }),
});

/** The reports of each kind of phone system. The kinds differ in the times that they state. */
const KINDS = {
  /** Twilio states the times of the legs and the duration of the dialed leg, but not the time of the dial result. */
  "times of legs"(call: TrueCall): Report[] {
    const { end, endedAt } = endOf(call);
    const durationSeconds = Math.floor((call.talked ?? 0) / 1000);
    return [
      voice(),
      ...(call.talked === undefined
        ? []
        : [{ sentAt: call.rang, say: () => ({ dialedLegs: { original: { answeredAt: iso(call.rang) } } }) }]),
      { sentAt: endedAt, say: () => ({ dialedLegs: { original: { sequence: 2, ...end, endedAt: iso(endedAt) } } }) },
      {
        sentAt: endedAt,
        say: (at) => ({ dialResults: { original: { ...end, endedAt: iso(at), isEndArrival: true, durationSeconds } } }),
      },
      { sentAt: endedAt + 300, start: 0, say: () => ({ callerLeg: { endedAt: iso(endedAt + 300) } }) },
    ];
  },
  /** SignalWire states the duration of the dialed leg and the time at which the call was created. */
  "a duration"(call: TrueCall): Report[] {
    const { end, endedAt } = endOf(call);
    const durationSeconds = Math.floor((call.talked ?? 0) / 1000);
    const arrival = (at: number) => ({ endedAt: iso(at), isEndArrival: true }) as const;
    return [
      voice(0),
      ...(call.talked === undefined
        ? []
        : [
            {
              sentAt: call.rang,
              say: (at: number): CallEvidence => ({
                dialedLegs: { original: { answeredAt: iso(at), isAnswerArrival: true } },
              }),
            },
          ]),
      { sentAt: endedAt, say: (at) => ({ dialedLegs: { original: { ...end, ...arrival(at) } } }) },
      { sentAt: endedAt, say: (at) => ({ dialResults: { original: { ...end, ...arrival(at), durationSeconds } } }) },
      { sentAt: endedAt + 300, start: 0, say: (at) => ({ callerLeg: arrival(at) }) },
    ];
  },
  /** Kamailio states all times. */
  "all times"(call: TrueCall): Report[] {
    const { end, endedAt } = endOf(call);
    const answeredAt = call.talked === undefined ? {} : { answeredAt: iso(call.rang) };
    return [
      voice(0),
      ...(call.talked === undefined
        ? []
        : [{ sentAt: call.rang, start: 0, say: () => ({ dialedLegs: { original: answeredAt } }) }]),
      {
        sentAt: endedAt,
        start: 0,
        say: () => ({ dialResults: { original: { ...end, ...answeredAt, endedAt: iso(endedAt) } } }),
      },
    ];
  },
};

type Kind = keyof typeof KINDS;

/** How a report arrives: its position among the other reports, its delay and, if it arrives a second time, the additional delay. */
const arrival = fc.record({
  order: fc.nat(1_000_000),
  lateMs: fc.oneof(fc.constant(0), fc.nat(3_600_000)),
  again: fc.option(fc.nat(3_600_000), { nil: undefined }),
});

const trueCall: fc.Arbitrary<TrueCall> = fc.record({
  rang: fc.integer({ min: 500, max: 40_000 }),
  talked: fc.option(fc.nat(600_000), { nil: undefined, freq: 2 }),
  outcome: fc.constantFrom("missed", "busy", "failed"),
  isAbandoned: fc.boolean(),
});

/** Merges reports in the given order, and returns the progress of the call. Times are in milliseconds since the actual start of the call. */
function record(arrived: readonly { readonly report: Report; readonly at: number }[]) {
  let start = Number.POSITIVE_INFINITY;
  let evidence: CallEvidence = {};
  for (const { report, at } of arrived) {
    const reported = report.say(at);
    const stated = findEarliestReportedTime(reported)?.getTime() ?? Number.POSITIVE_INFINITY;
    start = Math.min(start, report.start ?? at, stated - BEGIN);
    // The database stores evidence as JSON between two reports.
    evidence = JSON.parse(JSON.stringify(mergeCallEvidence(evidence, reported)));
  }
  const { answeredAt, endedAt, durationSeconds, outcome, basis } = deriveCallProgress(
    new Date(BEGIN + start),
    evidence,
  );
  const since = (time: Date | undefined) => time && time.getTime() - BEGIN;
  return { start, answered: since(answeredAt), ended: since(endedAt), durationSeconds, outcome, basis };
}

const inOrder = (reports: readonly Report[]) => record(reports.map((report) => ({ report, at: report.sentAt })));

/** Delays, repeats and reorders reports, and merges them. Leaves out the reports whose index is in `lost`. */
function disturb(
  reports: readonly Report[],
  arrivals: readonly { readonly order: number; readonly lateMs: number; readonly again?: number | undefined }[],
  lost: ReadonlySet<number> = new Set(),
) {
  const all = reports.flatMap((report, index) => {
    const { order, lateMs, again } = arrivals[index] as (typeof arrivals)[number];
    const at = report.sentAt + lateMs;
    const twice = again === undefined ? [] : [{ report, at: at + again, order: (order * 7919) % 1_000_003 }];
    return lost.has(index) ? [] : [{ report, at, order }, ...twice];
  });
  return record(all.toSorted((one, other) => one.order - other.order));
}

const RUNS = { numRuns: 200 };

test.each(Object.keys(KINDS) as Kind[])("%s: order, delay and repetition change nothing that is said", (kind) => {
  const arrivals = fc.array(fc.array(arrival, { minLength: 5, maxLength: 5 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(trueCall, arrivals, (call, orders) => {
      const reports = KINDS[kind](call);
      const orderly = inOrder(reports);
      expect(orderly.durationSeconds).toBe(Math.floor((call.talked ?? 0) / 1000));
      if (kind !== "a duration") {
        const answered = call.talked === undefined ? undefined : call.rang;
        expect(orderly).toMatchObject({ start: 0, answered, ended: endOf(call).endedAt });
      }
      for (const order of orders) {
        const late = disturb(reports, order);
        const { outcome, basis, durationSeconds } = late;
        expect({ outcome, basis, durationSeconds }).toEqual({
          ...{ outcome: orderly.outcome, basis: orderly.basis, durationSeconds: orderly.durationSeconds },
        });
        if (kind !== "a duration") expect(late).toEqual(orderly);
        // The start is always exact. If the phone system states no times, the end can be much too late, but at most a second too early.
        expect(late.start).toBe(0);
        expect(late.ended).toBeGreaterThanOrEqual((orderly.ended as number) - 1000);
      }
    }),
    RUNS,
  );
});

test.each(Object.keys(KINDS) as Kind[])("%s: lost reports make a call unknown, never a wrong number", (kind) => {
  fc.assert(
    fc.property(
      trueCall,
      fc.array(arrival, { minLength: 5, maxLength: 5 }),
      fc.uniqueArray(fc.nat(4)),
      (call, order, lost) => {
        const reports = KINDS[kind](call);
        const { outcome, durationSeconds } = disturb(reports, order, new Set(lost));
        const orderly = inOrder(reports);
        const isKnown = outcome !== CallOutcome.UNKNOWN && outcome !== CallOutcome.IN_PROGRESS;
        if (isKnown) expect(outcome).toBe(orderly.outcome);
        const saysDuration = kind !== "a duration" || !lost.includes(reports.length - 2);
        if (durationSeconds !== undefined && saysDuration) {
          // The caller's leg ends 300 ms after the call, which can add a second to the duration.
          expect(Math.abs(durationSeconds - (orderly.durationSeconds as number))).toBeLessThanOrEqual(1);
        }
      },
    ),
    RUNS,
  );
});
