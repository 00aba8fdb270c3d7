/** A detail of an error as its JSON has it: `@type`, and the fields in snake_case. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** An error of the service, the same over every protocol. */
export interface Refusal {
  /** The name of the code, such as `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly message: string;
  /** The reason of the ErrorInfo. */
  readonly reason: string;
  /** The metadata of the ErrorInfo. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The field violations of the BadRequest, if there is one. */
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  /** All details, those that the fields above come from too. */
  readonly details: readonly ErrorDetail[];
}

/** What a call to the service rejects with when the service refuses it. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(readonly refusal: Refusal) {
    super(`${refusal.status} ${refusal.reason}: ${refusal.message}`);
  }
}

/** The refusal that a call ends with. Throws if it succeeds, or fails in another way. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const outcome: unknown = await call.then(
    (answer) => new Error(`expected a refusal, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RefusedError) return outcome.refusal;
  throw outcome;
}

/** The names of the fields that a call is refused for, in order. */
export async function refusedFieldsOf(call: Promise<unknown>): Promise<string[]> {
  return (await refusalOf(call)).violations.map(({ field }) => field).toSorted();
}
