/**
 * The name of a dialing step. Each step is tried if nobody answered the previous ones. The first two are named after the numbers that earlier
 * releases dialed; the names of the others are their indexes, `2` to `99`.
 */
export type DialStep = FirstStep | LaterStep;

type FirstStep = "original" | "fallback";

type LaterStep = `${number}`;

/**
 * The name of the leg to one of the destinations that a step rings at the same time, in URLs, evidence and reports of phone systems. It is
 * the name of the step for the first destination, followed by the index for the others, such as `original.1`.
 */
export type LegName = DialStep | `${DialStep}.${number}`;

export type ByLeg<T> = Readonly<Partial<Record<FirstStep, T>> & Record<Exclude<LegName, FirstStep>, T>>;

export type ByStep<T> = Readonly<Partial<Record<FirstStep, T>> & Record<LaterStep, T>>;

const FIRST_STEPS: readonly DialStep[] = ["original", "fallback"];

/** @param index the index of the step in the call, 0 to 99. */
export function dialStepAt(index: number): DialStep {
  return FIRST_STEPS[index] ?? `${index}`;
}

/** @param index the index of the leg's destination among those that the step rings at the same time, 0 to 9. */
export function legNameAt(step: DialStep, index: number): LegName {
  return index === 0 ? step : `${step}.${index}`;
}

const LEG_NAME = /^(?:original|fallback|[2-9]|[1-9]\d)(?:\.[1-9])?$/;

/** Returns the text if it can be the name of a leg, and otherwise undefined. */
export function readLegName(name: string | undefined): LegName | undefined {
  return name !== undefined && LEG_NAME.test(name) ? (name as LegName) : undefined;
}

export function stepOf(leg: LegName): DialStep {
  return leg.split(".")[0] as DialStep;
}

/** Orders steps by when they are dialed. */
export function compareSteps(one: DialStep, other: DialStep): number {
  return indexOf(one) - indexOf(other);
}

function indexOf(step: DialStep): number {
  const index = FIRST_STEPS.indexOf(step);
  return index < 0 ? Number(step) : index;
}
