import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { DecodedRequest } from "../decode/decode-request.js";
import { type FieldViolation, RequestError } from "../http/request-error.js";
import { violationsToMessage } from "../responses/failure.js";

/** Finds further violations in a message that could not be decoded completely. */
export type MessageValidator = (
  method: DescMethod,
  message: Message,
  context: HandlerContext,
) => readonly FieldViolation[] | Promise<readonly FieldViolation[]>;

/** Returns the message of a decoded request. Rejects with a `RequestError` if it has violations, with those of `validate` too. */
export function requireValid(
  decoded: DecodedRequest,
  context: HandlerContext,
  validate: MessageValidator | undefined,
): Message | Promise<Message> {
  return decoded.violations.length > 0 ? refuse(decoded, context, validate) : decoded.message;
}

async function refuse(
  { message, violations }: DecodedRequest,
  context: HandlerContext,
  validate: MessageValidator | undefined,
): Promise<never> {
  const isNamed = (field: string) => violations.some((known) => field === known.field || isWithin(field, known.field));
  const further = (await validate?.(context.method, message, context)) ?? [];
  const all = [...violations, ...further.filter(({ field }) => !isNamed(field))];
  throw new RequestError("FIELD_INVALID", violationsToMessage(all), { violations: all });
}

function isWithin(field: string, parent: string): boolean {
  return field.startsWith(`${parent}.`) || field.startsWith(`${parent}[`);
}
