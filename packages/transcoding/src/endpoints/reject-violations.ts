import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { DecodedRequest } from "../decode/decode-request.js";
import { type FieldViolation, RequestError } from "../http/request-error.js";
import { violationsToMessage } from "../responses/failure.js";

/** Finds further violations in a message that has fields which could not be decoded. */
export type MessageValidator = (
  method: DescMethod,
  message: Message,
  context: HandlerContext,
) => readonly FieldViolation[] | Promise<readonly FieldViolation[]>;

/** Throws a `RequestError` with the violations that decoding found, and those that `validate` finds in other fields. */
export async function rejectViolations(
  { message, violations }: DecodedRequest,
  context: HandlerContext,
  validate: MessageValidator | undefined,
): Promise<never> {
  const isNamed = (field: string) => violations.some((known) => field === known.field || isWithin(field, known.field));
  const further = (await validate?.(context.method, message, context)) ?? [];
  throw createViolationsError([...violations, ...further.filter(({ field }) => !isNamed(field))]);
}

/** Throws a `RequestError` that lists the violations of a decoded request, unless there are none. */
export function requireNoViolations({ violations }: Pick<DecodedRequest, "violations">): void {
  if (violations.length > 0) throw createViolationsError(violations);
}

function createViolationsError(violations: readonly FieldViolation[]): RequestError {
  return new RequestError("FIELD_INVALID", violationsToMessage(violations), { violations });
}

function isWithin(field: string, parent: string): boolean {
  return field.startsWith(`${parent}.`) || field.startsWith(`${parent}[`);
}
