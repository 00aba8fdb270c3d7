import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallEvidence,
  type LegEvidence,
  type LegOutcome,
  mergeEvidence,
  outcomeOfDialStatus,
  outcomeOfSipStatus,
  progressOf,
} from "./call-evidence.js";
import { requireValidProgress } from "./call-progress.js";
import type { RejectReason } from "./call-rejection.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

const START = at(0);
const RING: CallEvidence = {};
const { ANSWERED, BUSY, FAILED, IN_PROGRESS, MISSED } = CallOutcome;

function at(seconds: number): Date;
function at(seconds: number | undefined): Date | undefined;
function at(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(Date.UTC(2026, 10, 26, 12) + seconds * 1000);
}

function iso(seconds: number | undefined): string | undefined {
  return at(seconds)?.toISOString();
}

/** Returns what is known of a leg. */
function known(facts: { readonly [Fact in keyof LegEvidence]: LegEvidence[Fact] | undefined }): LegEvidence {
  return JSON.parse(JSON.stringify(facts));
}

/** A change of the leg to the business, as the provider numbers them. */
function leg(
  sequence: number,
  change: { answered?: number; ended?: number; outcome?: LegOutcome; step?: "fallback" },
): CallEvidence {
  const { answered, ended, outcome = "answered", step = "original" } = change;
  const end = ended !== undefined && { sequence, endedAt: iso(ended), outcome };
  return { dialedLegs: { [step]: known({ answeredAt: iso(answered), ...end }) } };
}

function result(
  outcome: LegOutcome,
  ended: number,
  more: { duration?: number; answered?: number; step?: "fallback"; next?: true; rejected?: RejectReason } = {},
): CallEvidence {
  const { duration, answered, step = "original", next, rejected } = more;
  const times = { endedAt: iso(ended), durationSeconds: duration, answeredAt: iso(answered) };
  return { dialResults: { [step]: known({ outcome, ...times, isContinued: next, rejectReason: rejected }) } };
}

function callerLeg(ended: number, outcome?: LegOutcome): CallEvidence {
  return { callerLeg: known({ endedAt: iso(ended), outcome }) };
}

function recording(id: string, { step, expires }: { step?: "fallback"; expires?: number } = {}): CallEvidence {
  const expiresAt = iso(expires);
  const url = `https://recordings.example/${id}`;
  return { recording: { id, url, ...(expiresAt && { expiresAt }), ...(step && { step }) } };
}

const TIMER: CallEvidence = { timer: known({ endedAt: iso(15_000) }) };

function evidenceOf(reports: readonly CallEvidence[]): CallEvidence {
  return reports.reduce(mergeEvidence, {});
}

/** Returns the progress in seconds since the start. */
function progress(evidence: CallEvidence) {
  const { answeredAt, endedAt, outcome, basis, rejectReason: rejected } = progressOf(START, evidence);
  const seconds = (time: Date | undefined) => time && (time.getTime() - START.getTime()) / 1000;
  return { answered: seconds(answeredAt), ended: seconds(endedAt), outcome, basis, rejected };
}

function permutations<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length === 0) return [[]];
  return all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

describe("whatever the order of the reports, and also if each comes twice,", () => {
  test.each<[name: string, events: CallEvidence[], expected: Partial<ReturnType<typeof progress>>]>([
    ["a ringing call is in progress", [RING], { outcome: IN_PROGRESS }],
    [
      "an answered call is in progress until it ends",
      [RING, leg(1, { answered: 8 })],
      { answered: 8, outcome: IN_PROGRESS },
    ],
    [
      "the first report of an answer has its time",
      [leg(1, { answered: 9 }), leg(1, { answered: 8 }), leg(1, { answered: 10 })],
      { answered: 8, outcome: IN_PROGRESS },
    ],
    [
      "an answered call has the times of its leg, and ends with its dial",
      [
        RING,
        leg(1, { answered: 8 }),
        leg(2, { ended: 68 }),
        result("answered", 69, { duration: 60 }),
        callerLeg(70),
        recording("r1"),
      ],
      { answered: 8, ended: 69, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the answer is the end without the duration",
      [RING, result("answered", 69, { duration: 60 }), callerLeg(70)],
      { answered: 9, ended: 69, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the phone system says when the business answered",
      [result("answered", 69, { answered: 5, duration: 60 })],
      { answered: 5, ended: 69, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "an answer at an unknown time has no duration",
      [result("answered", 69)],
      { answered: 69, ended: 69, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a caller who hangs up in the prompt is missed",
      [RING, callerLeg(3)],
      { ended: 3, outcome: MISSED, basis: "caller_leg" },
    ],
    [
      "a completed caller's leg says nothing of a forward that rang out",
      [RING, callerLeg(30), result("missed", 29)],
      { ended: 29, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a business that hangs up in the whisper has not answered",
      [RING, leg(1, { answered: 5 }), leg(2, { ended: 8 }), result("missed", 8), callerLeg(9)],
      { ended: 8, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a busy business goes on to its fallback number",
      [RING, result("busy", 5, { next: true })],
      { outcome: IN_PROGRESS },
    ],
    [
      "the fallback number answers",
      [
        RING,
        result("missed", 20, { next: true }),
        leg(1, { answered: 28, step: "fallback" }),
        result("answered", 58, { step: "fallback", duration: 30 }),
        callerLeg(58),
      ],
      { answered: 28, ended: 58, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the fallback number decides if the first one was busy",
      [result("busy", 2, { next: true }), result("missed", 22, { step: "fallback" }), callerLeg(22)],
      { ended: 22, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a caller who hangs up while the fallback number rings leaves the first result",
      [result("busy", 2, { next: true }), callerLeg(9)],
      { ended: 9, outcome: BUSY, basis: "dial_result" },
    ],
    [
      "the fallback number decides if its leg alone is reported",
      [
        leg(1, { answered: 3 }),
        result("missed", 5),
        leg(1, { step: "fallback", ended: 20, outcome: "failed" }),
        callerLeg(21),
      ],
      { ended: 5, outcome: FAILED, basis: "dialed_leg" },
    ],
    [
      "an answered first number stays answered",
      [result("answered", 20, { duration: 10 }), result("missed", 40, { step: "fallback" })],
      { answered: 10, ended: 20, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the dialed leg beats the caller's",
      [leg(1, { ended: 20, outcome: "busy" }), callerLeg(21, "missed")],
      { ended: 21, outcome: BUSY, basis: "dialed_leg" },
    ],
    [
      "a dialed leg never ends the call",
      [RING, leg(1, { answered: 5 }), leg(2, { ended: 20 })],
      { answered: 5, outcome: IN_PROGRESS },
    ],
    [
      "the later sequence of a leg wins",
      [leg(3, { ended: 20, outcome: "failed" }), leg(2, { ended: 19 }), callerLeg(21)],
      { ended: 21, outcome: FAILED, basis: "dialed_leg" },
    ],
    [
      "answered beats missed in a ring group",
      [result("missed", 30), result("answered", 30, { duration: 20 }), result("busy", 5)],
      { answered: 10, ended: 30, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a repeated report without own time changes nothing",
      [result("missed", 20), result("missed", 25), callerLeg(26), callerLeg(31)],
      { ended: 20, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a rejected loop stays failed",
      [RING, callerLeg(0, "failed"), callerLeg(1, "busy")],
      { ended: 0, outcome: FAILED, basis: "caller_leg" },
    ],
    [
      "a rejected call keeps its reason",
      [RING, result("failed", 0, { rejected: "LOOP" }), callerLeg(1, "busy")],
      { ended: 0, outcome: FAILED, basis: "dial_result", rejected: "LOOP" },
    ],
    [
      "a call that another server connected has no reason",
      [result("failed", 0, { rejected: "REPEATED" }), result("answered", 9, { duration: 4 })],
      { answered: 5, ended: 9, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a reject of a release without reasons has none",
      [result("failed", 0)],
      { ended: 0, outcome: FAILED, basis: "dial_result" },
    ],
    [
      "the timer ends a call that was never reported again",
      [RING, TIMER],
      { ended: 15_000, outcome: MISSED, basis: "timer" },
    ],
    [
      "the timer ends an answered call",
      [RING, leg(1, { answered: 8 }), TIMER],
      { answered: 8, ended: 15_000, outcome: ANSWERED, basis: "timer" },
    ],
    [
      "a report beats the timer",
      [RING, TIMER, callerLeg(20_000)],
      { ended: 20_000, outcome: MISSED, basis: "caller_leg" },
    ],
    [
      "times before the start are moved to it",
      [result("answered", -5, { duration: 60 })],
      { answered: 0, ended: 0, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "an answer after the end is moved to it",
      [leg(1, { answered: 30 }), result("answered", 20)],
      { answered: 20, ended: 20, outcome: ANSWERED, basis: "dial_result" },
    ],
  ])("%s", (_, events, expected) => {
    const evidence = evidenceOf(events);
    expect(progress(evidence)).toEqual(expected);
    for (const order of permutations(events)) {
      expect(evidenceOf([...order, ...order.toReversed()])).toEqual(evidence);
      expect(evidenceOf(order.flatMap((event) => [event, event]))).toEqual(evidence);
    }
  });
});

describe("any reports", () => {
  const time = fc.integer({ min: -10, max: 100 }).map((seconds) => at(seconds).toISOString());
  const step = fc.constantFrom("original" as const, "fallback" as const);
  const outcome = fc.constantFrom<LegOutcome>("answered", "missed", "busy", "failed");
  const event = fc.oneof<fc.Arbitrary<CallEvidence>[]>(
    fc.constant(RING),
    fc
      .tuple(
        step,
        fc.record({ answeredAt: time }, { requiredKeys: [] }),
        fc.option(fc.record({ sequence: fc.nat(3), endedAt: time, outcome }, { requiredKeys: ["endedAt", "outcome"] })),
      )
      .map(([dialed, answer, end]) => ({ dialedLegs: { [dialed]: { ...answer, ...end } } })),
    fc
      .tuple(
        step,
        fc.record(
          {
            ...{ outcome, endedAt: time, answeredAt: time, durationSeconds: fc.nat(60) },
            isContinued: fc.constant(true as const),
            rejectReason: fc.constantFrom<RejectReason>("LOOP", "REPEATED"),
          },
          { requiredKeys: ["outcome", "endedAt"] },
        ),
      )
      .map(([dialed, facts]) => ({ dialResults: { [dialed]: facts } })),
    fc.record({ callerLeg: fc.record({ endedAt: time, outcome }, { requiredKeys: ["endedAt"] }) }),
    fc.record({ timer: fc.record({ endedAt: time }) }),
    fc.record({ answer: fc.record({ isPrompted: fc.boolean(), isRecorded: fc.boolean() }) }),
    fc.record({
      recording: fc.record(
        {
          step: fc.constant("fallback" as const),
          id: fc.constantFrom("a", "b"),
          url: fc.constantFrom("https://a.example", "https://b.example"),
          expiresAt: time,
        },
        { requiredKeys: ["id", "url"] },
      ),
    }),
  );
  const reports = fc.array(event, { maxLength: 12 }).chain((events) =>
    fc.record({
      events: fc.constant(events),
      shuffled: fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
    }),
  );

  test("give the same in every order, also if they are stored in between", () => {
    fc.assert(
      fc.property(reports, ({ events, shuffled }) => {
        const stored = shuffled.reduce<CallEvidence>(
          (evidence, each) => JSON.parse(JSON.stringify(mergeEvidence(evidence, each))),
          {},
        );
        expect(stored).toEqual(evidenceOf(events));
      }),
      { numRuns: 2000 },
    );
  });

  test("give times in order and an outcome that fits them", () => {
    fc.assert(
      fc.property(reports, ({ events }) => {
        const { answeredAt, endedAt, outcome: known, basis } = progressOf(START, evidenceOf(events));
        requireValidProgress({ startedAt: START, answeredAt, endedAt, outcome: known }, at(1000));
        expect(basis === undefined).toBe(endedAt === undefined);
      }),
      { numRuns: 2000 },
    );
  });

  test("never reopen a call, nor take back an answered dial", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), event, (events, later) => {
        const before = progressOf(START, evidenceOf(events));
        const after = progressOf(START, evidenceOf([...events, later]));
        if (before.endedAt !== undefined) expect(after.endedAt).toBeDefined();
        if (before.outcome === ANSWERED && before.basis === "dial_result") expect(after.outcome).toBe(ANSWERED);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each<[name: string, recordings: CallEvidence[], kept: object]>([
  ["one", [recording("a")], { id: "a" }],
  ["that of the last leg", [recording("b"), recording("a", { step: "fallback" })], { id: "a", step: "fallback" }],
  [
    "the link that is valid longer",
    [recording("a", { expires: 600 }), recording("a", { expires: 1200 })],
    { id: "a", expiresAt: at(1200).toISOString() },
  ],
])("keeps of several recordings %s", (_, recordings, kept) => {
  for (const order of permutations(recordings)) {
    expect(evidenceOf(order).recording).toEqual({ url: "https://recordings.example/a", ...kept });
  }
});

test.each([
  ["answered", [200, 202, 299]],
  ["busy", [486, 600, 603]],
  ["missed", [408, 480, 487]],
  ["failed", [302, 400, 403, 404, 488, 500, 503, 604, 699]],
  [undefined, [0, 100, 180, 199, 700, -1, Number.NaN, Number.POSITIVE_INFINITY]],
])("SIP: %s", (outcome, statuses) => {
  expect(statuses.map(outcomeOfSipStatus)).toEqual(statuses.map(() => outcome));
});

test.each([
  ["answered", ["ANSWER"]],
  ["busy", ["BUSY"]],
  ["missed", ["NOANSWER", "CANCEL", "DONTCALL"]],
  ["failed", ["CHANUNAVAIL", "CONGESTION", "INVALIDARGS"]],
  [undefined, ["", "answer", "TORTURE", "constructor"]],
])("DIALSTATUS: %s", (outcome, statuses) => {
  expect(statuses.map(outcomeOfDialStatus)).toEqual(statuses.map(() => outcome));
});
