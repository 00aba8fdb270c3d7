/** The JSON of an error detail: `@type`, and the fields in snake_case. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** An error response from the service. It is the same over every protocol. */
export interface Refusal {
  /** The name of the code, such as `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly message: string;
  /** From the ErrorInfo. */
  readonly reason: string;
  /** From the ErrorInfo. */
  readonly metadata: Readonly<Record<string, string>>;
  /** From the BadRequest; empty if there is none. */
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  /** All details, including those of the fields above. */
  readonly details: readonly ErrorDetail[];
}

/** The error of a client call that the service rejected. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(readonly refusal: Refusal) {
    super(`${refusal.status} ${refusal.reason}: ${refusal.message}`);
  }
}

/** Returns the error response to a call. Throws if the call succeeds or fails in another way. */
export async function requireRefusal(call: Promise<unknown>): Promise<Refusal> {
  const outcome: unknown = await call.then(
    (answer) => new Error(`expected a refusal, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RefusedError) return outcome.refusal;
  throw outcome;
}

/** Returns the sorted names of the invalid fields of a rejected call. */
export async function requireRefusedFields(call: Promise<unknown>): Promise<string[]> {
  return (await requireRefusal(call)).violations.map(({ field }) => field).toSorted();
}

/** Returns the error response to a request with one invalid field. */
export function createInvalidFieldRefusal(field: string, description: string) {
  return {
    status: "INVALID_ARGUMENT",
    message: `${field} ${description}`,
    reason: "FIELD_INVALID",
    violations: [{ field, description }],
  };
}
