import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallEvidence, findEarliestReportedTime, type LegEvidence, mergeCallEvidence } from "./call-evidence.js";
import { requireValidCallProgress } from "./call-progress.js";
import type { RejectReason } from "./call-rejection.js";
import { deriveCallProgress } from "./derived-call-progress.js";
import type { DialStep, LegName } from "./dial-step.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";
import { ABANDONED_LEG_END, findLegEndByDialStatus, findLegEndBySipStatus, type LegOutcome } from "./leg-end.js";

const START = at(0);
const RING: CallEvidence = {};
const { ANSWERED, BUSY, FAILED, IN_PROGRESS, MISSED, UNKNOWN } = CallOutcome;

/** Calltrack answered the voice request with a prompt. */
const PROMPT: CallEvidence = { answer: { isPrompted: true, isRecorded: false, sentAt: at(0).toISOString() } };

function at(seconds: number): Date;
function at(seconds: number | undefined): Date | undefined;
function at(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(Date.UTC(2026, 10, 26, 12) + seconds * 1000);
}

function iso(seconds: number | undefined): string | undefined {
  return at(seconds)?.toISOString();
}

/** Returns the evidence about a leg, without undefined facts. */
function known(facts: { readonly [Fact in keyof LegEvidence]: LegEvidence[Fact] | undefined }): LegEvidence {
  return JSON.parse(JSON.stringify(facts));
}

/** Returns the evidence from a numbered status report about a leg to the business. */
function leg(
  sequence: number,
  change: { answered?: number; ended?: number; outcome?: LegOutcome; step?: LegName },
): CallEvidence {
  const { answered, ended, outcome = "answered", step = "original" } = change;
  const end = ended !== undefined && { sequence, endedAt: iso(ended), outcome };
  return { dialedLegs: { [step]: known({ answeredAt: iso(answered), ...end }) } };
}

interface ResultFacts {
  readonly duration?: number;
  readonly answered?: number;
  readonly step?: DialStep;
  readonly next?: true;
  readonly rejected?: RejectReason;
  /** Whether the end is the time at which the result arrived. */
  readonly arrived?: true;
  readonly abandoned?: true;
}

function result(outcome: LegOutcome, ended: number, more: ResultFacts = {}): CallEvidence {
  const { duration, answered, step = "original", next, rejected, arrived: isEndArrival, abandoned: isAbandoned } = more;
  const times = {
    endedAt: iso(ended),
    isEndArrival,
    isAbandoned,
    durationSeconds: duration,
    answeredAt: iso(answered),
  };
  return { dialResults: { [step]: known({ outcome, ...times, isContinued: next, rejectReason: rejected }) } };
}

function callerLeg(ended: number, outcome?: LegOutcome | "abandoned"): CallEvidence {
  const end = outcome === "abandoned" ? ABANDONED_LEG_END : { outcome };
  return { callerLeg: known({ endedAt: iso(ended), ...end }) };
}

/** An answer whose time the phone system does not state, as with SignalWire. */
function answerArrived(answered: number): CallEvidence {
  return { dialedLegs: { original: known({ answeredAt: iso(answered), isAnswerArrival: true }) } };
}

type LaterStep = Exclude<DialStep, "original">;

function recording(id: string, { step, expires }: { step?: LaterStep; expires?: number } = {}): CallEvidence {
  const expiresAt = iso(expires);
  const url = `https://recordings.example/${id}`;
  return { recording: { id, url, ...(expiresAt && { expiresAt }), ...(step && { step }) } };
}

const TIMER: CallEvidence = { timer: known({ endedAt: iso(15_000) }) };

function evidenceOf(reports: readonly CallEvidence[]): CallEvidence {
  return reports.reduce(mergeCallEvidence, {});
}

/** Returns the progress that is derived from evidence. Times are in seconds since the start of the call. */
function progress(evidence: CallEvidence) {
  const {
    answeredAt,
    endedAt,
    durationSeconds,
    outcome,
    basis,
    rejectReason: rejected,
  } = deriveCallProgress(START, evidence);
  const seconds = (time: Date | undefined) => time && (time.getTime() - START.getTime()) / 1000;
  return { answered: seconds(answeredAt), ended: seconds(endedAt), seconds: durationSeconds, outcome, basis, rejected };
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
      "an answered call has the times of its leg",
      [
        RING,
        leg(1, { answered: 8 }),
        leg(2, { ended: 68 }),
        result("answered", 69, { duration: 60, arrived: true }),
        callerLeg(70),
        recording("r1"),
      ],
      { answered: 8, ended: 68, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a late dial result does not make the call longer",
      [RING, leg(1, { answered: 8 }), leg(2, { ended: 12 }), result("answered", 24, { duration: 4, arrived: true })],
      { answered: 8, ended: 12, seconds: 4, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the answer and the duration tell the end",
      [RING, leg(1, { answered: 8 }), result("answered", 24, { duration: 4, arrived: true }), callerLeg(25)],
      { answered: 8, ended: 12, seconds: 4, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the end of the caller's leg and the duration tell the answer",
      [RING, result("answered", 80, { duration: 60, arrived: true }), callerLeg(70)],
      { answered: 10, ended: 70, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "of times of arrival, the earliest one counts",
      [RING, answerArrived(8), result("answered", 90, { duration: 60, arrived: true })],
      { answered: 8, ended: 68, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a late report of the answer does not move the answer",
      [RING, answerArrived(80), result("answered", 69, { duration: 60, arrived: true })],
      { answered: 9, ended: 69, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "without a duration, the times of arrival tell it",
      [RING, answerArrived(8), result("answered", 69, { arrived: true })],
      { answered: 8, ended: 69, seconds: 61, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a time of the phone system beats one of arrival",
      [result("missed", 40), result("missed", 30, { arrived: true }), answerArrived(9), leg(1, { answered: 12 })],
      { ended: 40, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "the answer is the end without the duration",
      [RING, result("answered", 69, { duration: 60 }), callerLeg(70)],
      { answered: 9, ended: 69, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the phone system says when the business answered",
      [result("answered", 69, { answered: 5, duration: 60 })],
      { answered: 5, ended: 69, seconds: 64, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "an answer at an unknown time has no duration",
      [result("answered", 69)],
      { ended: 69, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a caller who hangs up in the prompt gave up",
      [PROMPT, callerLeg(3)],
      { ended: 3, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "caller_leg" },
    ],
    [
      "a caller who hangs up in the second in which the prompt began gave up: the provider's time has no fraction",
      [{ answer: { isPrompted: true, isRecorded: false, sentAt: at(3.4).toISOString() } }, callerLeg(3)],
      { ended: 3, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "caller_leg" },
    ],
    [
      "a call that ended before its voice request was answered is unknown",
      [{ answer: { isPrompted: true, isRecorded: false, sentAt: at(30).toISOString() } }, callerLeg(20)],
      { ended: 20, outcome: UNKNOWN, basis: "caller_leg" },
    ],
    [
      "the end of the caller's leg alone is unknown",
      [callerLeg(95)],
      { ended: 95, outcome: UNKNOWN, basis: "caller_leg" },
    ],
    [
      "a caller who gives up has not been answered",
      [RING, result("missed", 12, { abandoned: true }), callerLeg(12)],
      { ended: 12, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "dial_result" },
    ],
    [
      "the caller's leg tells who hung up first",
      [RING, result("missed", 12), callerLeg(12, "abandoned")],
      { ended: 12, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "dial_result" },
    ],
    [
      "a caller can give up before a number is dialed",
      [callerLeg(2, "abandoned")],
      { ended: 2, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "caller_leg" },
    ],
    [
      "a completed caller's leg says nothing of a forward that rang out",
      [PROMPT, callerLeg(30), result("missed", 29)],
      { ended: 29, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a business that hangs up in the whisper has not answered",
      [RING, leg(1, { answered: 5 }), leg(2, { ended: 8 }), result("missed", 8), callerLeg(9)],
      { ended: 8, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a busy business goes on to its fallback number",
      [RING, leg(1, { ended: 5, outcome: "busy" }), result("busy", 5, { next: true })],
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
      { answered: 28, ended: 58, seconds: 30, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the fallback number decides if the first one was busy",
      [result("busy", 2, { next: true }), result("missed", 22, { step: "fallback" }), callerLeg(22)],
      { ended: 22, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a caller who hangs up while the fallback number rings leaves the first result",
      [leg(1, { ended: 2, outcome: "busy" }), result("busy", 2, { next: true }), callerLeg(9)],
      { ended: 9, seconds: 0, outcome: BUSY, basis: "dial_result" },
    ],
    [
      "the fallback number decides if its leg alone is reported",
      [
        leg(1, { answered: 3 }),
        result("missed", 5),
        leg(1, { step: "fallback", ended: 20, outcome: "failed" }),
        callerLeg(21),
      ],
      { ended: 5, seconds: 0, outcome: FAILED, basis: "dialed_leg" },
    ],
    [
      "the third of four steps answers",
      [
        result("missed", 20, { next: true }),
        result("busy", 21, { step: "fallback", next: true }),
        leg(1, { answered: 28, step: "2" }),
        result("answered", 58, { step: "2", duration: 30 }),
      ],
      { answered: 28, ended: 58, seconds: 30, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "one of three numbers answers that ring at once, and the others are canceled",
      [
        leg(5, { step: "original", ended: 9, outcome: "missed" }),
        leg(1, { step: "original.1", answered: 8 }),
        leg(2, { step: "original.1", ended: 40 }),
        leg(4, { step: "original.2", ended: 3, outcome: "busy" }),
        callerLeg(41),
      ],
      { answered: 8, ended: 40, seconds: 32, outcome: ANSWERED, basis: "dialed_leg" },
    ],
    [
      "of numbers that ring at once, none answers, and the caller heard ringing",
      [
        leg(1, { step: "original", ended: 3, outcome: "busy" }),
        leg(1, { step: "original.1", ended: 20, outcome: "missed" }),
        callerLeg(21),
      ],
      { ended: 20, seconds: 0, outcome: MISSED, basis: "dialed_leg" },
    ],
    [
      "the last of three steps decides if none answers",
      [
        result("busy", 2, { next: true }),
        result("failed", 3, { step: "fallback", next: true }),
        result("missed", 22, { step: "2" }),
        callerLeg(22),
      ],
      { ended: 22, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "an answered first number stays answered",
      [result("answered", 20, { duration: 10 }), result("missed", 40, { step: "fallback" })],
      { answered: 10, ended: 20, seconds: 10, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "the dialed leg beats the caller's",
      [leg(1, { ended: 20, outcome: "busy" }), callerLeg(21, "missed")],
      { ended: 20, seconds: 0, outcome: BUSY, basis: "dialed_leg" },
    ],
    [
      "a dialed leg never ends the call",
      [RING, leg(1, { answered: 5 }), leg(2, { ended: 20 })],
      { answered: 5, outcome: IN_PROGRESS },
    ],
    [
      "the later sequence of a leg wins",
      [leg(3, { ended: 20, outcome: "failed" }), leg(2, { ended: 19 }), callerLeg(21)],
      { ended: 20, seconds: 0, outcome: FAILED, basis: "dialed_leg" },
    ],
    [
      "answered beats missed in a ring group",
      [result("missed", 30), result("answered", 30, { duration: 20 }), result("busy", 5)],
      { answered: 10, ended: 30, seconds: 20, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a repeated report without own time changes nothing",
      [result("missed", 20, { arrived: true }), result("missed", 25, { arrived: true }), callerLeg(26), callerLeg(31)],
      { ended: 26, seconds: 0, outcome: MISSED, basis: "dial_result" },
    ],
    [
      "a rejected loop stays failed",
      [RING, callerLeg(0, "failed"), callerLeg(1, "busy")],
      { ended: 0, seconds: 0, outcome: FAILED, basis: "caller_leg" },
    ],
    [
      "a rejected call keeps its reason",
      [RING, result("failed", 0, { rejected: "LOOP" }), callerLeg(1, "busy")],
      { ended: 0, seconds: 0, outcome: FAILED, basis: "dial_result", rejected: "LOOP" },
    ],
    [
      "a call that another server connected has no reason",
      [result("failed", 0, { rejected: "REPEATED" }), result("answered", 9, { duration: 4 })],
      { answered: 5, ended: 9, seconds: 4, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "a reject of a release without reasons has none",
      [result("failed", 0)],
      { ended: 0, seconds: 0, outcome: FAILED, basis: "dial_result" },
    ],
    [
      "nobody knows how a call ended that was never reported again",
      [RING, TIMER],
      { outcome: UNKNOWN, basis: "timer" },
    ],
    [
      "nobody knows whether the fallback number of such a call answered",
      [result("busy", 5, { next: true }), TIMER],
      { outcome: UNKNOWN, basis: "timer" },
    ],
    [
      "an answered call that was never reported again has no end",
      [RING, leg(1, { answered: 8 }), TIMER],
      { answered: 8, outcome: ANSWERED, basis: "timer" },
    ],
    [
      "such a call ends with the leg that was answered",
      [RING, leg(1, { answered: 8 }), leg(2, { ended: 68 }), TIMER],
      { answered: 8, ended: 68, seconds: 60, outcome: ANSWERED, basis: "dialed_leg" },
    ],
    [
      "a report beats the timer",
      [PROMPT, TIMER, callerLeg(20_000)],
      { ended: 20_000, seconds: 0, outcome: CallOutcome.ABANDONED, basis: "caller_leg" },
    ],
    [
      "times before the start are moved to it, and the duration stays",
      [result("answered", -5, { duration: 60 })],
      { answered: 0, ended: 0, seconds: 60, outcome: ANSWERED, basis: "dial_result" },
    ],
    [
      "an answer after the end is moved to it",
      [leg(1, { answered: 30 }), result("answered", 20)],
      { answered: 20, ended: 20, seconds: 0, outcome: ANSWERED, basis: "dial_result" },
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
  const yes = fc.constant(true as const);
  const step = fc.constantFrom<DialStep[]>("original", "fallback", "2", "10");
  const legName = fc.constantFrom<LegName[]>("original", "original.1", "fallback", "2", "2.9");
  const outcome = fc.constantFrom<LegOutcome>("answered", "missed", "busy", "failed");
  const number = fc.constantFrom("+15550000001", "+15550000002");
  const event = fc.oneof<fc.Arbitrary<CallEvidence>[]>(
    fc.constant(RING),
    fc
      .tuple(
        legName,
        fc.record({ answeredAt: time, isAnswerArrival: yes }, { requiredKeys: ["answeredAt"] }),
        fc.option(
          fc.record(
            { sequence: fc.nat(3), endedAt: time, isEndArrival: yes, outcome, durationSeconds: fc.nat(60) },
            { requiredKeys: ["endedAt", "outcome"] },
          ),
        ),
      )
      .map(([dialed, answer, end]) => ({ dialedLegs: { [dialed]: { ...answer, ...end } } })),
    fc
      .tuple(
        step,
        fc.record(
          {
            ...{ outcome, endedAt: time, answeredAt: time, durationSeconds: fc.nat(60) },
            ...{ isEndArrival: yes, isAbandoned: yes, isContinued: yes },
            rejectReason: fc.constantFrom<RejectReason>("LOOP", "REPEATED"),
          },
          { requiredKeys: ["outcome", "endedAt"] },
        ),
      )
      .map(([dialed, facts]) => ({ dialResults: { [dialed]: facts } })),
    fc.record({
      callerLeg: fc.record(
        { endedAt: time, isEndArrival: yes, outcome, isAbandoned: yes },
        { requiredKeys: ["endedAt"] },
      ),
    }),
    fc.record({ timer: fc.record({ endedAt: time }) }),
    fc.record({ voicemail: fc.record({ endedAt: time, isEndArrival: yes }, { requiredKeys: ["endedAt"] }) }),
    fc.record({ callerAttestation: fc.constantFrom("TN-Validation-Passed-A", "TN-Validation-Failed") }),
    fc.record({
      answer: fc.record(
        {
          ...{ isPrompted: fc.boolean(), isRecorded: fc.boolean(), sentAt: time },
          dialed: fc.record({ original: number, "original.1": number, fallback: number }, { requiredKeys: [] }),
        },
        { requiredKeys: ["isPrompted", "isRecorded"] },
      ),
    }),
    fc.record({
      recording: fc.record(
        {
          step: fc.constantFrom("fallback", "2", "10", "voicemail"),
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

  test("give the same result in every order, even if they are stored in between", () => {
    fc.assert(
      fc.property(reports, ({ events, shuffled }) => {
        const stored = shuffled.reduce<CallEvidence>(
          (evidence, each) => JSON.parse(JSON.stringify(mergeCallEvidence(evidence, each))),
          {},
        );
        expect(stored).toEqual(evidenceOf(events));
      }),
      { numRuns: 2000 },
    );
  });

  test("give consistent times and a matching outcome", () => {
    fc.assert(
      fc.property(reports, ({ events }) => {
        const evidence = evidenceOf(events);
        const { answeredAt, endedAt, durationSeconds, outcome, basis, answeredBy } = deriveCallProgress(
          START,
          evidence,
        );
        if (answeredBy !== undefined) {
          expect(Object.values(evidence.answer?.dialed ?? {})).toContain(answeredBy);
          expect([ANSWERED, IN_PROGRESS]).toContain(outcome);
        }
        // The time of an answer can be unknown.
        const isUntimed = outcome === ANSWERED && answeredAt === undefined;
        if (!isUntimed) requireValidCallProgress({ startedAt: START, answeredAt, endedAt, outcome }, at(1000));
        if (isUntimed || outcome === UNKNOWN || endedAt === undefined) expect(durationSeconds).toBeUndefined();
        else expect(durationSeconds).toBeGreaterThanOrEqual(0);
        if (basis === undefined) expect(endedAt).toBeUndefined();
        expect(basis === undefined).toBe(outcome === IN_PROGRESS);
        expect(basis === "timer" && endedAt !== undefined).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("never reopen a call, nor take back an answered dial", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), event, (events, later) => {
        const before = deriveCallProgress(START, evidenceOf(events));
        const after = deriveCallProgress(START, evidenceOf([...events, later]));
        if (before.outcome !== IN_PROGRESS) expect(after.outcome).not.toBe(IN_PROGRESS);
        if (before.outcome === ANSWERED && before.basis === "dial_result") expect(after.outcome).toBe(ANSWERED);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each<[name: string, recordings: CallEvidence[], kept: object]>([
  ["one", [recording("a")], { id: "a" }],
  [
    "that of the last step",
    [recording("b"), recording("c", { step: "fallback" }), recording("a", { step: "2" })],
    { id: "a", step: "2" },
  ],
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

test.each<[ReturnType<typeof findLegEndBySipStatus>, number[]]>([
  [{ outcome: "answered" }, [200, 202, 299]],
  [{ outcome: "busy" }, [486, 600, 603]],
  [{ outcome: "missed" }, [408, 480]],
  [ABANDONED_LEG_END, [487]],
  [{ outcome: "failed" }, [302, 400, 403, 404, 488, 500, 503, 604, 699]],
  [undefined, [0, 100, 180, 199, 700, -1, Number.NaN, Number.POSITIVE_INFINITY]],
])("SIP: %o", (end, statuses) => {
  expect(statuses.map(findLegEndBySipStatus)).toEqual(statuses.map(() => end));
});

test.each<[ReturnType<typeof findLegEndByDialStatus>, string[]]>([
  [{ outcome: "answered" }, ["ANSWER"]],
  [{ outcome: "busy" }, ["BUSY"]],
  [{ outcome: "missed" }, ["NOANSWER", "DONTCALL"]],
  [ABANDONED_LEG_END, ["CANCEL"]],
  [{ outcome: "failed" }, ["CHANUNAVAIL", "CONGESTION", "INVALIDARGS"]],
  [undefined, ["", "answer", "TORTURE", "constructor"]],
])("DIALSTATUS: %o", (end, statuses) => {
  expect(statuses.map(findLegEndByDialStatus)).toEqual(statuses.map(() => end));
});

describe("numbers that rang at once", () => {
  const dialed = { original: "+15550000001", "original.1": "+15550000002" };
  const answer: CallEvidence = { answer: { isPrompted: false, isRecorded: false, dialed } };
  const second = (outcome: LegOutcome, ended = 20) => leg(1, { step: "original.1", ended, outcome });
  const canceled: CallEvidence = { dialedLegs: { original: known({ endedAt: iso(5), ...ABANDONED_LEG_END }) } };

  test.each<[name: string, reports: CallEvidence[], outcome: CallOutcome]>([
    ["one busy, one rings out", [leg(1, { ended: 1, outcome: "busy" }), second("missed"), result("busy", 20)], MISSED],
    ["one fails, one is busy", [leg(1, { ended: 1, outcome: "failed" }), second("busy", 2), result("failed", 2)], BUSY],
    ["all are busy", [leg(1, { ended: 1, outcome: "busy" }), second("busy", 2), result("busy", 2)], BUSY],
    ["one takes the call", [canceled, leg(1, { step: "original.1", answered: 5 }), result("answered", 20)], ANSWERED],
    // The voicemail of a mobile phone answered the leg, but did not press the key to take the call.
    [
      "one is answered and declined",
      [canceled, leg(1, { step: "original.1", answered: 5 }), result("missed", 9)],
      MISSED,
    ],
    ["the reports of the declined one are lost", [canceled, result("missed", 9)], MISSED],
    ["the caller hangs up", [canceled, result("missed", 5, { abandoned: true })], CallOutcome.ABANDONED],
    ["the caller hangs up, and the result is lost", [canceled, callerLeg(5)], CallOutcome.ABANDONED],
  ])("%s", (_, reports, outcome) => {
    for (const order of permutations([answer, ...reports])) {
      expect(deriveCallProgress(START, evidenceOf(order)).outcome).toBe(outcome);
    }
  });
});

describe("a message in the voicemail", () => {
  const message = (ended: number): CallEvidence => ({ voicemail: known({ endedAt: iso(ended), isEndArrival: true }) });
  const left = { ended: 40, seconds: 0, outcome: CallOutcome.VOICEMAIL, basis: "dial_result" };

  test.each<[name: string, reports: CallEvidence[], expected: object]>([
    ["is the outcome", [result("busy", 5, { next: true }), message(40)], left],
    ["ends with the caller's leg", [result("missed", 20, { next: true }), message(41), callerLeg(40)], left],
    ["beats a timer", [message(40), TIMER], left],
    [
      "is none of an answered call",
      [result("answered", 20, { duration: 5 }), message(40)],
      { ended: 20, outcome: ANSWERED },
    ],
    [
      "is missing if the caller leaves none",
      [result("busy", 5, { next: true }), callerLeg(9)],
      { ended: 9, outcome: BUSY },
    ],
  ])("%s", (_, reports, expected) => {
    for (const order of permutations(reports)) expect(progress(evidenceOf(order))).toMatchObject(expected);
  });

  test("takes precedence over the recording of a dialed leg", () => {
    const url = "https://recordings.example/m";
    const ofMessage: CallEvidence = { recording: { id: "m", url, step: "voicemail" } };
    for (const order of permutations([recording("z", { step: "fallback" }), ofMessage])) {
      expect(evidenceOf(order).recording).toMatchObject({ id: "m" });
    }
  });
});

test("findEarliestReportedTime returns the latest possible start", () => {
  expect(findEarliestReportedTime({ ...leg(2, { ended: 68 }), ...result("answered", 20, { arrived: true }) })).toEqual(
    at(68),
  );
  expect(findEarliestReportedTime({ ...answerArrived(3), ...result("answered", 20, { answered: 7 }) })).toEqual(at(7));
  expect(findEarliestReportedTime({ ...answerArrived(3), ...recording("r1"), ...TIMER })).toBeUndefined();
});

describe("the number that answered", () => {
  const dialed = { original: "+15550000001", "original.1": "+15550000002", fallback: "+15550000003" };
  const answer: CallEvidence = { answer: { isPrompted: false, isRecorded: false, dialed } };

  test.each<[name: string, reports: CallEvidence[], number: string | undefined]>([
    ["the first of two that rang at once", [leg(1, { answered: 5 })], dialed.original],
    [
      "the second of them",
      [leg(1, { ended: 6, outcome: "missed" }), leg(1, { step: "original.1", answered: 5 })],
      dialed["original.1"],
    ],
    [
      "the first to answer, if both did",
      [leg(1, { answered: 6 }), leg(1, { step: "original.1", answered: 5 })],
      dialed["original.1"],
    ],
    ["nobody knows which of them", [leg(1, { ended: 6, outcome: "missed" }), result("answered", 40)], undefined],
    [
      "the only one of a step",
      [result("missed", 20, { next: true }), result("answered", 40, { step: "fallback" })],
      dialed.fallback,
    ],
    ["nobody", [leg(1, { ended: 6, outcome: "missed" })], undefined],
  ])("%s", (_, reports, number) => {
    for (const order of permutations([answer, ...reports])) {
      expect(deriveCallProgress(START, evidenceOf(order)).answeredBy).toBe(number);
    }
  });
});
