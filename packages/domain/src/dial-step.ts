/**
 * A step of dialing for a call: each is tried if the ones before did not answer. The first two have the names of the numbers that they dialed before
 * there were more; the others have their index, `2` to `99`.
 */
export type DialStep = FirstStep | LaterStep;

type FirstStep = "original" | "fallback";

type LaterStep = `${number}`;

/**
 * The leg to one of the numbers that a step rings at once. URLs, evidence and reports of phone systems name it: by the step for the first number, and
 * with the number's index for the others, such as `original.1`.
 */
export type LegName = DialStep | `${DialStep}.${number}`;

/** A value for each leg of a call. */
export type ByLeg<T> = Readonly<Partial<Record<FirstStep, T>> & Record<Exclude<LegName, FirstStep>, T>>;

/** A value for each step of a call. */
export type ByStep<T> = Readonly<Partial<Record<FirstStep, T>> & Record<LaterStep, T>>;

const FIRST_STEPS: readonly DialStep[] = ["original", "fallback"];

/** Returns the name of a step by its index among the steps of a call, 0 to 99. */
export function dialStepAt(index: number): DialStep {
  return FIRST_STEPS[index] ?? `${index}`;
}

/** Returns the name of a leg by its index among the numbers that its step rings at once, 0 to 9. */
export function legNameAt(step: DialStep, index: number): LegName {
  return index === 0 ? step : `${step}.${index}`;
}

const LEG_NAME = /^(?:original|fallback|[2-9]|[1-9]\d)(?:\.[1-9])?$/;

/** Returns a text as the name of a leg; undefined if no leg has that name. */
export function readLegName(name: string | undefined): LegName | undefined {
  return name !== undefined && LEG_NAME.test(name) ? (name as LegName) : undefined;
}

/** Returns the step of a leg. */
export function stepOf(leg: LegName): DialStep {
  return leg.split(".")[0] as DialStep;
}

/** Orders steps as they are tried. */
export function compareSteps(one: DialStep, other: DialStep): number {
  return indexOf(one) - indexOf(other);
}

function indexOf(step: DialStep): number {
  const index = FIRST_STEPS.indexOf(step);
  return index < 0 ? Number(step) : index;
}
