/** The JSON of an error detail: `@type`, and the fields in snake_case. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** An error response from the service. It is the same over every protocol. */
export interface Refusal {
  /** The name of the google.rpc code, such as `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly message: string;
  /** The reason in the google.rpc.ErrorInfo detail. */
  readonly reason: string;
  /** The metadata in the google.rpc.ErrorInfo detail. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The field violations in the google.rpc.BadRequest detail; empty if the response has no such detail. */
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  /** All error details, including the ErrorInfo and the BadRequest. */
  readonly details: readonly ErrorDetail[];
}

/** The error that test clients throw for an error response from the service. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(readonly refusal: Refusal) {
    super(`${refusal.status} ${refusal.reason}: ${refusal.message}`);
  }
}

/**
 * Returns the error response with which the service rejects an RPC.
 *
 * @throws Error if the RPC succeeds, or fails without an error response.
 */
export async function requireRefusal(call: Promise<unknown>): Promise<Refusal> {
  const outcome: unknown = await call.then(
    (answer) => new Error(`expected a refusal, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RefusedError) return outcome.refusal;
  throw outcome;
}

/** Returns the sorted names of the fields that the service reports as invalid when it rejects an RPC. */
export async function requireRefusedFields(call: Promise<unknown>): Promise<string[]> {
  return (await requireRefusal(call)).violations.map(({ field }) => field).toSorted();
}

/** Returns the expected error response to a request with one invalid field, without metadata and details. */
export function createInvalidFieldRefusal(field: string, description: string) {
  return {
    status: "INVALID_ARGUMENT",
    message: `${field} ${description}`,
    reason: "FIELD_INVALID",
    violations: [{ field, description }],
  };
}
