import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { DecodeOptions } from "../decode/decode-options.js";
import { createRequestDecoder, type DecodedRequest } from "../decode/decode-request.js";
import type { HttpRequest } from "../http/http-request.js";
import { readBody, rejectBody } from "../http/read-body.js";
import { type FieldViolation, RequestError } from "../http/request-error.js";
import { violationsToMessage } from "../responses/failure.js";
import type { HttpRule } from "../rules/http-rule.js";
import { requireJson } from "./media-type.js";

/**
 * Reads the message of a request, synchronously if its body has arrived. Throws or rejects with a `RequestError` that lists all
 * violations.
 */
export type MessageReader = (
  request: HttpRequest,
  values: readonly string[],
  query: string | undefined,
  context: HandlerContext,
) => Message | Promise<Message>;

/** Finds further violations in a message that could not be decoded completely. */
export type MessageValidator = (
  method: DescMethod,
  message: Message,
  context: HandlerContext,
) => readonly FieldViolation[] | Promise<readonly FieldViolation[]>;

/** Options for reading the messages of a rule. */
export interface MessageReaderOptions {
  readonly decode: DecodeOptions;
  readonly readMaxBytes: number;
  readonly validate: MessageValidator | undefined;
}

/** Creates the reader of a rule's requests. */
export function createMessageReader(rule: HttpRule, options: MessageReaderOptions): MessageReader {
  const decoder = createRequestDecoder(rule, options.decode);
  return (request, values, query = "", context) => {
    const decode = (body: Uint8Array | undefined) => {
      const decoded = decoder.decode(values, query, body, request);
      return decoded.violations.length > 0 ? refuse(decoded, context) : decoded.message;
    };
    if (decoder.body === "none")
      return request.hasBody ? rejectBody(request).then(() => decode(undefined)) : decode(undefined);
    if (decoder.body === "json") requireJson(request.header("content-type"));
    const body = readBody(request, options.readMaxBytes);
    return body instanceof Promise ? body.then(decode) : decode(body);
  };

  async function refuse(decoded: DecodedRequest, context: HandlerContext): Promise<never> {
    throw await createFieldError(decoded, context, options.validate);
  }
}

/** Creates the error of a message with violations, including those that `validate` finds. */
export async function createFieldError(
  { message, violations }: DecodedRequest,
  context: HandlerContext,
  validate: MessageReaderOptions["validate"],
): Promise<RequestError> {
  const isNamed = (field: string) => violations.some((known) => field === known.field || isWithin(field, known.field));
  const further = (await validate?.(context.method, message, context)) ?? [];
  const all = [...violations, ...further.filter(({ field }) => !isNamed(field))];
  return new RequestError("FIELD_INVALID", violationsToMessage(all), { violations: all });
}

function isWithin(field: string, parent: string): boolean {
  return field.startsWith(`${parent}.`) || field.startsWith(`${parent}[`);
}
