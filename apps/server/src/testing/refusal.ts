/** The JSON of an error detail: `@type`, and the fields in snake_case. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** An error response of the service; it is the same over every protocol. */
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
  /** All details, including those of the fields above. */
  readonly details: readonly ErrorDetail[];
}

/** The rejection of a client call that the service refused. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(readonly refusal: Refusal) {
    super(`${refusal.status} ${refusal.reason}: ${refusal.message}`);
  }
}

/** Returns the refusal of a call. Throws if the call succeeds or fails in another way. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const outcome: unknown = await call.then(
    (answer) => new Error(`expected a refusal, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RefusedError) return outcome.refusal;
  throw outcome;
}

/** Returns the names of the invalid fields of a refused call, sorted. */
export async function refusedFieldsOf(call: Promise<unknown>): Promise<string[]> {
  return (await refusalOf(call)).violations.map(({ field }) => field).toSorted();
}

/** The refusal of a request with one invalid field. */
export function invalidField(field: string, description: string) {
  return {
    status: "INVALID_ARGUMENT",
    message: `${field} ${description}`,
    reason: "FIELD_INVALID",
    violations: [{ field, description }],
  };
}
