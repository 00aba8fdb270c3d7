/**
 * The name of a step that dials destinations. Each step is carried out if nobody answered the previous ones. The first two steps are named
 * after the numbers that earlier releases dialed; the names of the others are their indexes, `2` to `99`.
 */
export type DialStep = FirstStep | LaterStep;

type FirstStep = "original" | "fallback";

type LaterStep = `${number}`;

/**
 * The name of the leg to one of the destinations that a step rings at the same time. URLs, evidence and reports of phone systems contain this name.
 *
 * The leg to the first destination has the name of the step. The names of the other legs add the index of the destination, as in `original.1`.
 */
export type LegName = DialStep | `${DialStep}.${number}`;

export type RecordByLegName<T> = Readonly<Partial<Record<FirstStep, T>> & Record<Exclude<LegName, FirstStep>, T>>;

export type RecordByDialStep<T> = Readonly<Partial<Record<FirstStep, T>> & Record<LaterStep, T>>;

const FIRST_STEPS: readonly DialStep[] = ["original", "fallback"];

/** @param index the index of the step in the call, 0 to 99. */
export function nameDialStep(index: number): DialStep {
  return FIRST_STEPS[index] ?? `${index}`;
}

/**
 * @param index the index of the destination in the list of destinations that the step rings at the same time, 0 to 9.
 */
export function nameLeg(step: DialStep, index: number): LegName {
  return index === 0 ? step : `${step}.${index}`;
}

const LEG_NAME = /^(?:original|fallback|[2-9]|[1-9]\d)(?:\.[1-9])?$/;

/** Returns the text as the name of a leg; undefined if it cannot be one. */
export function parseLegName(name: string | undefined): LegName | undefined {
  return name !== undefined && LEG_NAME.test(name) ? (name as LegName) : undefined;
}

export function getLegDialStep(leg: LegName): DialStep {
  return leg.split(".")[0] as DialStep;
}

/** Compares two steps by the order in which they are dialed. */
export function compareDialSteps(one: DialStep, other: DialStep): number {
  return indexOf(one) - indexOf(other);
}

function indexOf(step: DialStep): number {
  const index = FIRST_STEPS.indexOf(step);
  return index < 0 ? Number(step) : index;
}
