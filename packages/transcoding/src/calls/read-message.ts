import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import { createRequestDecoder, type DecodedRequest } from "../decode/decode-request.js";
import { violationsToMessage } from "../responses/failure.js";
import { RequestError } from "../responses/request-error.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { TranscoderOptions } from "../transcoder-options.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import { requireJson } from "./media-type.js";
import { readBody, refuseBody } from "./read-body.js";

/** Reads the message of a request. Rejects with a `RequestError` that names everything that is wrong with it. */
export type MessageReader = (
  request: TranscoderRequest,
  values: readonly string[],
  query: string | undefined,
) => Promise<Message>;

/** How the messages of one rule are read. */
export interface MessageReaderOptions {
  readonly decode: DecodeOptions;
  readonly readMaxBytes: number;
  readonly validate: TranscoderOptions["validate"];
}

/** Creates the reader of a rule's requests. */
export function createMessageReader(rule: HttpRule, options: MessageReaderOptions): MessageReader {
  const decoder = createRequestDecoder(rule, options.decode);
  return async (request, values, query = "") => {
    let body: Uint8Array | undefined;
    const contentType = request.header("content-type");
    if (decoder.body !== "none") {
      if (decoder.body === "json") requireJson(contentType);
      body = await readBody(request, options.readMaxBytes);
    } else if (request.hasBody) {
      await refuseBody(request);
    }
    const decoded = decoder.decode(values, query, body, contentType);
    if (decoded.violations.length > 0) throw await fieldError(rule.rpc, decoded, options.validate);
    return decoded.message;
  };
}

/** The error of a message with violations, and of what else `validate` finds wrong with it. */
export async function fieldError(
  method: DescMethod,
  { message, violations }: DecodedRequest,
  validate: MessageReaderOptions["validate"],
): Promise<RequestError> {
  const isNamed = (field: string) => violations.some((known) => field === known.field || isWithin(field, known.field));
  const further = (await validate?.(method, message)) ?? [];
  const all = [...violations, ...further.filter(({ field }) => !isNamed(field))];
  return new RequestError("FIELD_INVALID", violationsToMessage(all), { violations: all });
}

function isWithin(field: string, parent: string): boolean {
  return field.startsWith(`${parent}.`) || field.startsWith(`${parent}[`);
}
