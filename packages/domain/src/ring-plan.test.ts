import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planCall } from "./call-plan.js";
import type { CallSituation } from "./call-situation.js";
import { getLegDialStep, parseLegName } from "./dial-step.js";
import { TargetOrder } from "./gen/calltracking/v1/call_flow_pb.js";
import { planRinging } from "./ring-plan.js";
import { type Flow, HOURS, settingsOf } from "./testing/flow-settings.js";

const ORIGINAL = "+12125550100";
const SALES = "+12125550101";
const SUPPORT = "+12125550102";
const MOBILE = "+12125550103";
const BERLIN = "+4930123456";

/** A Sunday, on which `HOURS` are closed. */
const SUNDAY = new Date("2026-11-29T12:00Z");

type Step = NonNullable<Flow["steps"]>[number];
type Order = "AT_ONCE" | "IN_TURN" | "SHARED";

function numbers(...phoneNumbers: readonly string[]) {
  return phoneNumbers.map((number) => (number === ORIGINAL ? { original: true } : { phoneNumber: number }));
}

function step(order: Order, ...phoneNumbers: readonly string[]): Step {
  return { targets: numbers(...phoneNumbers), order: TargetOrder[order] };
}

function situationOf(
  flow: Flow,
  more: Partial<CallSituation> & { readonly trackedNumbers?: readonly string[] } = {},
): CallSituation {
  const { trackedNumbers = [], ...rest } = more;
  return {
    route: {
      ...{ trackingNumber: "+12225550142", accountId: 7, accountToken: "acme", poolId: "p1", callTrackerId: "t1" },
      ...{ originalNumber: ORIGINAL, source: "google", medium: "cpc", isPrompted: false, isRecorded: false },
      ...{ flow: settingsOf(flow), trackedNumbers, isReleased: false, phoneSystemId: undefined },
    },
    phoneSystem: { allowedPrefixes: ["+1"], ownCountries: ["US"], allowedSipHosts: [], capabilities: new Set() },
    ...{ caller: "+14155550123", rejection: undefined, now: SUNDAY },
    ...rest,
  };
}

/** Returns the destinations that ring; those that ring at the same time are in one group. */
function ringsOf(situation: CallSituation): readonly (readonly string[])[] {
  const plan = planCall(situation);
  return plan.kind === "dial" ? plan.dials.map(({ targets }) => targets.map(({ destination }) => destination)) : [];
}

/** Returns the notes about ringing and hanging up. Each has a plus sign if the step is carried out, and a minus sign otherwise. */
function notesOf(situation: CallSituation): readonly string[] {
  return planCall(situation)
    .notes.filter((note) => note.step === "dial" || note.step === "fallback" || note.step === "hang_up")
    .map(({ isDone, description }) => `${isDone ? "+" : "-"} ${description}`);
}

test("steps follow each other, each in its order", () => {
  const steps = [
    step("AT_ONCE", ORIGINAL, SALES),
    { ...step("IN_TURN", SUPPORT, MOBILE), ringSeconds: 30 },
    step("SHARED", SALES),
  ];
  const situation = situationOf({ steps, ringSeconds: 10 });
  const plan = planCall(situation);
  expect(plan).toMatchObject({
    kind: "dial",
    dials: [
      {
        ...{ step: "original", ringSeconds: 10, callerId: "+14155550123" },
        targets: [
          { leg: "original", destination: ORIGINAL },
          { leg: "original.1", destination: SALES },
        ],
      },
      { step: "fallback", ringSeconds: 30, targets: [{ leg: "fallback", destination: SUPPORT }] },
      { step: "2", ringSeconds: 30, targets: [{ leg: "2", destination: MOBILE }] },
      { step: "3", ringSeconds: 10, targets: [{ leg: "3", destination: SALES }] },
    ],
  });
  expect(notesOf(situation)).toEqual([
    `+ step 1: rings ${ORIGINAL} and ${SALES} at once for 10 seconds, showing the caller's number`,
    `+ step 2: rings ${SUPPORT}, then ${MOBILE}, each for 30 seconds, showing the caller's number, if nobody has answered`,
    `+ step 3: rings ${SALES} for 10 seconds, showing the caller's number, if nobody has answered`,
  ]);
});

test("targets ring at once unless their step has an order", () => {
  expect(ringsOf(situationOf({ steps: [{ targets: numbers(SALES, SUPPORT) }] }))).toEqual([[SALES, SUPPORT]]);
});

test("ten steps of ten targets in turn have names", () => {
  const all = Array.from({ length: 10 }, (_, index) => `+1212555010${index}`);
  const { ringings } = planRinging(situationOf({ steps: all.map(() => step("IN_TURN", ...all)) }), true);
  const names = ringings.map((ringing) => ringing.step);
  expect(names).toHaveLength(100);
  expect(new Set(names.map(parseLegName)).size).toBe(100);
});

describe("a shared step", () => {
  const weighted = {
    targets: [
      { phoneNumber: SALES, weight: 70 },
      { phoneNumber: SUPPORT, weight: 25 },
      { phoneNumber: MOBILE, weight: 5 },
    ],
    order: TargetOrder.SHARED,
  };

  test.each([
    [0, [SALES, SUPPORT, MOBILE]],
    [0.699_999, [SALES, SUPPORT, MOBILE]],
    [0.7, [SUPPORT, MOBILE, SALES]],
    [0.949_999, [SUPPORT, MOBILE, SALES]],
    [0.950_001, [MOBILE, SALES, SUPPORT]],
    [1 - 2 ** -48, [MOBILE, SALES, SUPPORT]],
  ])("with the chance %d begins with its target, and goes on in turn", (chance, expected) => {
    expect(ringsOf(situationOf({ steps: [weighted] }, { chance: () => chance })).flat()).toEqual(expected);
  });

  test("chooses the first target of each step independently", () => {
    const chance = (place: number) => [0.99, 0.3][place] ?? 0;
    const steps = [step("SHARED", SALES, SUPPORT), step("SHARED", SALES, SUPPORT)];
    expect(ringsOf(situationOf({ steps }, { chance })).flat()).toEqual([SUPPORT, SALES, SALES, SUPPORT]);
  });

  test("distributes the calls of a target that must not be dialed among the others", () => {
    const situation = situationOf({ steps: [weighted] }, { trackedNumbers: [SALES], chance: () => 0.85 });
    expect(ringsOf(situation).flat()).toEqual([MOBILE, SUPPORT]);
  });

  test("names the weights", () => {
    expect(notesOf(situationOf({ steps: [weighted] }))[0]).toBe(
      `+ step 1: rings ${SALES} (weight 70), ${SUPPORT} (weight 25), or ${MOBILE} (weight 5) first, and then the other targets one after another, each for 20 seconds, showing the caller's number`,
    );
  });
});

describe("targets that must not be dialed", () => {
  test("are skipped, with the reason", () => {
    const situation = situationOf({ steps: [step("AT_ONCE", BERLIN, SALES, SUPPORT)] }, { trackedNumbers: [SUPPORT] });
    expect(ringsOf(situation)).toEqual([[SALES]]);
    expect(notesOf(situation)).toEqual([
      `- step 1: the phone system may not dial ${BERLIN}: only numbers that begin with +1 may be dialed`,
      `- step 1: ${SUPPORT} is a tracking number, so calls to it would loop`,
      `+ step 1: rings ${SALES} for 20 seconds, showing the caller's number`,
    ]);
  });

  test("cause a step without other targets to be skipped", () => {
    const situation = situationOf({ steps: [step("AT_ONCE", BERLIN), step("AT_ONCE", SALES)] });
    expect(planRinging(situation, true).ringings).toMatchObject([{ step: "original", destinations: [SALES] }]);
  });

  test("leave nobody to ring", () => {
    const situation = situationOf({ steps: [step("AT_ONCE", BERLIN)] });
    expect(notesOf(situation)).toEqual([
      `- step 1: the phone system may not dial ${BERLIN}: only numbers that begin with +1 may be dialed`,
      "+ the caller hears nothing",
    ]);
  });

  test("are SIP URIs with another host, and those whose user is a number that must not be dialed", () => {
    const uris = [
      "sip:a@pbx.example.com",
      "sip:a@evil.example",
      `sip:${BERLIN}@pbx.example.com`,
      `sip:${MOBILE}@pbx.example.com`,
    ];
    const steps = [{ targets: uris.map((sipUri) => ({ sipUri })), order: TargetOrder.AT_ONCE }];
    const phoneSystem = { allowedPrefixes: ["+1"], ownCountries: ["US"], capabilities: new Set<never>() };
    const allowed = situationOf(
      { steps },
      {
        phoneSystem: { ...phoneSystem, allowedSipHosts: ["pbx.example.com"] },
        trackedNumbers: [MOBILE],
      },
    );
    expect(ringsOf(allowed)).toEqual([["sip:a@pbx.example.com"]]);
    expect(notesOf(allowed).slice(0, 3)).toEqual([
      "- step 1: the phone system may not dial sip:a@evil.example: allowed_sip_hosts contains only pbx.example.com",
      `- step 1: the phone system may not dial sip:${BERLIN}@pbx.example.com: only numbers that begin with +1 may be dialed`,
      `- step 1: ${MOBILE} is a tracking number, so calls to it would loop`,
    ]);
    const upper = [{ targets: [{ sipUri: "SIP:Desk@pbx.example.com" }], order: TargetOrder.AT_ONCE }];
    const asUsual = { phoneSystem: { ...phoneSystem, allowedSipHosts: ["pbx.example.com"] } };
    expect(ringsOf(situationOf({ steps: upper }, asUsual))).toEqual([["sip:Desk@pbx.example.com"]]);
    const none = situationOf({ steps }, { phoneSystem: { ...phoneSystem, allowedSipHosts: [] } });
    expect(ringsOf(none)).toEqual([]);
    expect(notesOf(none)[0]).toBe(
      "- step 1: the phone system may not dial sip:a@pbx.example.com: allowed_sip_hosts is empty",
    );
  });

  test("are those that name the original number again", () => {
    const situation = situationOf({ steps: [{ targets: [{ original: true }, { phoneNumber: ORIGINAL }] }] });
    expect(ringsOf(situation)).toEqual([[ORIGINAL]]);
    expect(notesOf(situation)[0]).toBe(`- step 1: ${ORIGINAL} is in this step twice`);
  });

  test("are never dialed, whatever a call flow has", () => {
    const number = fc.constantFrom(ORIGINAL, SALES, SUPPORT, MOBILE, BERLIN, "+19002345678", "+12423456789");
    const anyStep = fc.record({
      targets: fc.array(number, { minLength: 1, maxLength: 10 }).map((each) => numbers(...each)),
      order: fc.constantFrom(undefined, TargetOrder.AT_ONCE, TargetOrder.IN_TURN, TargetOrder.SHARED),
    });
    const anySteps = fc.array(anyStep, { maxLength: 10 });
    fc.assert(
      fc.property(
        anySteps,
        anySteps,
        fc.boolean(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (steps, closedSteps, isClosed, chance) => {
          const flow = { steps, closedSteps, ...(isClosed && { hours: HOURS }) } as Flow;
          const plan = planCall(situationOf(flow, { trackedNumbers: [MOBILE], chance: () => chance }));
          const targets =
            plan.kind === "dial"
              ? plan.dials.flatMap((dial) => dial.targets.map((target) => ({ ...target, step: dial.step })))
              : [];
          for (const target of targets) {
            expect([ORIGINAL, SALES, SUPPORT]).toContain(target.destination);
            expect(getLegDialStep(target.leg)).toBe(target.step);
            expect(parseLegName(target.leg)).toBe(target.leg);
          }
          expect(new Set(targets.map(({ leg }) => leg)).size).toBe(targets.length);
          expect(plan.kind === "dial").toBe(targets.length > 0);
        },
      ),
    );
  });
});

describe("a voicemail", () => {
  const media = {
    phoneSystem: {
      ...({ allowedPrefixes: ["+1"], ownCountries: ["US"], allowedSipHosts: [] } as const),
      capabilities: new Set(["prompt", "recording"] as const),
    },
  };
  const mailbox = { voicemail: { greetingText: "Please leave a message.", maxSeconds: 60 } };

  test("follows the steps", () => {
    const situation = situationOf({ steps: [step("AT_ONCE", SALES), mailbox] }, media);
    expect(planCall(situation)).toMatchObject({
      ...{ kind: "dial", dials: [{ step: "original" }] },
      voicemail: { greeting: { text: "Please leave a message.", language: "en-US" }, maxSeconds: 60 },
    });
    expect(planCall(situation).notes.at(-1)).toEqual({
      ...{ step: "voicemail", isDone: true },
      description:
        'the caller hears "Please leave a message." and can leave a message of up to 60 seconds, if nobody has answered',
    });
  });

  test("can be the only step of a closed business", () => {
    const url = "https://sounds.example/greeting.mp3";
    const flow = { hours: HOURS, closedSteps: [{ voicemail: { greetingUrl: url } }] };
    const situation = situationOf(flow, media);
    expect(planCall(situation)).toMatchObject({
      kind: "dial",
      prompt: undefined,
      dials: [],
      voicemail: { greeting: { url }, maxSeconds: 120 },
    });
    expect(planCall(situation).notes.at(-1)?.description).toBe(
      `the caller hears ${url} and can leave a message of up to 120 seconds`,
    );
  });

  test("is skipped if the phone system cannot play a greeting and record a message", () => {
    const situation = situationOf({ hours: HOURS, closedSteps: [mailbox], closedText: "Closed." });
    expect(planCall(situation)).toMatchObject({ kind: "hang_up" });
    expect(planCall(situation).notes).toContainEqual({
      ...{ step: "voicemail", isDone: false },
      description: "the phone system cannot play a greeting and record a message",
    });
  });
});

describe("a closed business", () => {
  test("rings its closed steps", () => {
    const flow = { hours: HOURS, steps: [step("AT_ONCE", SALES)], closedSteps: [step("AT_ONCE", MOBILE)] };
    expect(ringsOf(situationOf(flow))).toEqual([[MOBILE]]);
  });

  test("rings nobody without closed steps", () => {
    expect(notesOf(situationOf({ hours: HOURS, steps: [step("AT_ONCE", SALES)] }))).toEqual([
      "- the business is closed, and there are no closed_steps",
      "- no fallback number is set",
      "+ the caller hears nothing",
    ]);
  });

  test("that opens rings the original number, if only the closed one has steps", () => {
    const closedSteps = [step("AT_ONCE", MOBILE)];
    expect(ringsOf(situationOf({ hours: HOURS, closedSteps }, { now: new Date("2026-11-30T12:00Z") }))).toEqual([
      [ORIGINAL],
    ]);
  });
});
