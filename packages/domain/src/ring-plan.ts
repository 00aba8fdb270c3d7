import type { CallSituation } from "./call-situation.js";
import { findBarredDestinationReason, findDestinationNumber } from "./destination.js";
import { type DialStep, nameDialStep } from "./dial-step.js";
import {
  type CallFlowStep,
  type CallFlowTarget,
  TargetOrder,
  type Voicemail,
} from "./gen/calltracking/v1/call_flow_pb.js";

/** Destinations that a step rings at the same time. */
interface Ringing {
  readonly step: DialStep;
  /** The numbers in E.164 format and SIP URIs that ring: at least one, without duplicates. */
  readonly destinations: readonly string[];
  /** How long the destinations ring; undefined if the `ring_seconds` of the call flow's settings applies. */
  readonly ringSeconds: number | undefined;
}

/** The parts of a sentence that `ExplainCall` returns about a step. */
interface RingNote {
  readonly step: "dial" | "fallback";
  /** Why the step, or one of its targets, is skipped; undefined if the step rings. */
  readonly problem: string | undefined;
  /** The part of the sentence before the duration, such as `rings +10005550100`. */
  readonly whom: string;
  readonly ringSeconds: number | undefined;
  /** The end of the sentence: the condition under which the step rings. Empty if the step always rings. */
  readonly condition: string;
}

/** The destinations that a call rings, in the order of the steps, and the voicemail after the last step. */
export interface RingPlan {
  readonly ringings: readonly Ringing[];
  readonly notes: readonly RingNote[];
  /** Undefined if the call flow has no voicemail. */
  readonly voicemail: Voicemail | undefined;
}

/** Decides which destinations a call rings. Skips destinations that must not be dialed. */
export function planRinging(situation: CallSituation, isOpen: boolean): RingPlan {
  const { steps: openSteps, closedSteps } = situation.route.flow;
  const steps = isOpen ? openSteps : closedSteps;
  return steps.length === 0 ? planWithoutSteps(situation, isOpen) : planSteps(situation, steps);
}

/** Plans a call whose call flow has no steps: it rings the original number if the business is open, and then the fallback number. */
function planWithoutSteps(situation: CallSituation, isOpen: boolean): RingPlan {
  const { originalNumber, flow } = situation.route;
  const closedProblem =
    flow.steps.length > 0 ? "the business is closed, and there are no closed_steps" : "the business is closed";
  const problem = isOpen ? findDestinationProblem(situation, originalNumber) : closedProblem;
  const noFallback = findFallbackProblem(situation);
  const common = { ringSeconds: undefined } as const;
  const ringing = (step: DialStep, destination = "") => ({ step, destinations: [destination], ...common });
  const condition = isOpen ? ", if the first number does not answer" : "";
  return {
    ringings: [
      ...(problem === undefined ? [ringing("original", originalNumber)] : []),
      ...(noFallback === undefined ? [ringing("fallback", flow.fallbackNumber)] : []),
    ],
    notes: [
      { step: "dial", problem, whom: `rings ${originalNumber}`, condition: "", ...common },
      { step: "fallback", problem: noFallback, whom: `rings ${flow.fallbackNumber}`, condition, ...common },
    ],
    voicemail: undefined,
  };
}

function planSteps(situation: CallSituation, steps: readonly CallFlowStep[]): RingPlan {
  const notes: RingNote[] = [];
  const ringings: Ringing[] = [];
  steps.forEach(({ targets, order = TargetOrder.AT_ONCE, ringSeconds, voicemail }, place) => {
    if (voicemail !== undefined) return;
    const usable = new Map<string, number>();
    const common = {
      step: "dial",
      ringSeconds,
      condition: place === 0 ? "" : ", if nobody has answered",
    } as const;
    for (const target of targets) {
      const destination = destinationOf(situation, target);
      const problem = usable.has(destination)
        ? `${destination} is in this step twice`
        : findTargetProblem(situation, target);
      if (problem === undefined) usable.set(destination, target.weight ?? 1);
      else notes.push({ ...common, problem: `step ${place + 1}: ${problem}`, whom: "" });
    }
    if (usable.size === 0) return;
    notes.push({ ...common, problem: undefined, whom: `step ${place + 1}: rings ${describeTargets(usable, order)}` });
    const all = [...usable.keys()];
    const inTurn = order === TargetOrder.SHARED ? beginWithShare(usable, situation.chance?.(place) ?? 0) : all;
    for (const destinations of order === TargetOrder.AT_ONCE ? [all] : inTurn.map((each) => [each])) {
      ringings.push({ step: nameDialStep(ringings.length), destinations, ringSeconds });
    }
  });
  return { ringings, notes, voicemail: steps.at(-1)?.voicemail };
}

/**
 * Returns the destinations in ringing order. `chance` selects the first destination in proportion to the weights. The other destinations follow in
 * the given order, which wraps around at the end.
 */
function beginWithShare(weights: ReadonlyMap<string, number>, chance: number): string[] {
  const destinations = [...weights.keys()];
  let rest = chance * [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const first = [...weights.values()].findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return [...destinations.slice(first), ...destinations.slice(0, first)];
}

function describeTargets(weights: ReadonlyMap<string, number>, order: TargetOrder): string {
  const destinations = [...weights.keys()];
  if (destinations.length === 1) return destinations.join();
  if (order === TargetOrder.AT_ONCE) return `${ALL.format(destinations)} at once`;
  if (order === TargetOrder.IN_TURN) return `${destinations.join(", then ")}, each`;
  const shares = [...weights].map(([destination, weight]) => `${destination} (weight ${weight})`);
  return `${ANY.format(shares)} first, and then the other targets one after another, each`;
}

const ALL = new Intl.ListFormat("en", { type: "conjunction" });
const ANY = new Intl.ListFormat("en", { type: "disjunction" });

function destinationOf({ route }: CallSituation, { original, phoneNumber, sipUri }: CallFlowTarget): string {
  if (original) return route.originalNumber;
  // Providers and PBX configurations recognize SIP URIs by the lower-case scheme.
  return phoneNumber ?? sipUri?.replace(/^sip:/i, "sip:") ?? "";
}

function findTargetProblem(situation: CallSituation, target: CallFlowTarget): string | undefined {
  const destination = destinationOf(situation, target);
  return (
    (target.original ? undefined : findLoopProblem(situation, destination)) ??
    findDestinationProblem(situation, destination)
  );
}

function findFallbackProblem(situation: CallSituation): string | undefined {
  const { flow, originalNumber } = situation.route;
  if (flow.fallbackNumber === undefined) return "no fallback number is set";
  if (flow.fallbackNumber === originalNumber) return "the fallback number is the original number";
  return findLoopProblem(situation, flow.fallbackNumber) ?? findDestinationProblem(situation, flow.fallbackNumber);
}

function findLoopProblem({ route }: CallSituation, destination: string): string | undefined {
  const number = findDestinationNumber(destination);
  const isTracked = number !== undefined && route.trackedNumbers.includes(number);
  return isTracked ? `${number} is a tracking number, so calls to it would loop` : undefined;
}

function findDestinationProblem({ phoneSystem }: CallSituation, destination: string): string | undefined {
  const reason = phoneSystem && findBarredDestinationReason(phoneSystem, destination);
  return reason && `the phone system may not dial ${destination}: ${reason}`;
}
