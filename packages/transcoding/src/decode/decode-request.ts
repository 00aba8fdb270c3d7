import { create, type Message } from "@bufbuild/protobuf";
import type { RequestHeaders } from "../http/http-request.js";
import type { FieldViolation } from "../http/request-error.js";
import { formatFieldPath, getLastField } from "../rules/field-path.js";
import { listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findEntityTagsProblem } from "../values/entity-tags.js";
import { toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { createBodyDecoder } from "./decode-body.js";
import { getJsonBodyDecoders } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { createQueryDecoder } from "./decode-query.js";
import { DecodeState, DUPLICATE_VIOLATION } from "./decode-state.js";
import { createFieldTextDecoder, createFieldTextSetter } from "./text-setter.js";

export interface DecodedRequest {
  /** The request message. A field that has a violation is unset. */
  readonly message: Message;
  /** At most 100 violations in the path, the query, the headers and the body. Empty for a valid request. */
  readonly violations: readonly FieldViolation[];
}

export interface RequestDecoder {
  /** How the body is read: it is ignored (`none`), read as JSON in UTF-8 (`json`), or stored in a `google.api.HttpBody` (`raw`). */
  readonly body: "none" | "json" | "raw";
  /**
   * @param values the decoded values of the variables in the URL path template, in the order of the variables.
   * @param query the text after the question mark, before percent-decoding; undefined if there is no question mark.
   * @param body the body after decoding its content codings. An empty JSON body counts as `{}`.
   * @throws RequestError `BODY_MALFORMED` if the body is not JSON in UTF-8 (RFC 8259) or, for `body: "*"`, not an object.
   */
  decode(
    values: readonly string[],
    query: string | undefined,
    body: Uint8Array | undefined,
    headers?: RequestHeaders,
  ): DecodedRequest;
}

/** Creates the decoder for the requests of a rule. Inspects the message descriptors once, so that `decode` does not inspect them for each request. */
export function createRequestDecoder(rule: HttpRule, options: DecodeOptions = {}): RequestDecoder {
  const { input } = rule.rpc;
  const decodePath = createPathDecoder(rule, options);
  const decodeQuery = createQueryDecoder(rule, options);
  const decodeHeaders = createHeaderDecoder(rule, options);
  const body = createBodyDecoder(rule, getJsonBodyDecoders(options));
  const refuseNull = rule.response?.refuseNull === true;
  const refuseNul = options.refuseNul === true;
  const updateExample = rule.response?.updateExample || undefined;
  return {
    body: body?.kind ?? "none",
    decode: (values, query, bytes = NO_BYTES, headers = NO_HEADERS) => {
      const request = create(input);
      const message = toUntypedMessage(request);
      const state = new DecodeState(refuseNull, refuseNul, updateExample);
      decodePath(values, message, state);
      if (query !== undefined) decodeQuery(query, message, state);
      decodeHeaders(headers, message, state);
      body?.decode(bytes, headers, message, state);
      return { message: request, violations: state.violations };
    },
  };
}

const NO_BYTES = new Uint8Array();
const NO_HEADERS: RequestHeaders = { header: () => undefined };

/** Creates the function that sets the fields that the URL path binds. The function gets the values of the variables in the path template. */
function createPathDecoder({ pathFields }: HttpRule, options: DecodeOptions) {
  const fields = pathFields.map((path) => ({
    name: formatFieldPath(path),
    set: createFieldTextSetter(path, createFieldTextDecoder(getLastField(path), options)),
  }));
  return (values: readonly string[], message: UntypedMessage, state: DecodeState): void => {
    let index = 0;
    for (const { name, set } of fields) {
      state.path.push(name);
      set(values[index++] ?? "", message, state);
      state.path.pop();
    }
    state.pathValid = state.violations.length === 0;
  };
}

/** The headers whose values are lists of entity tags. Several lines of the same header form one list (RFC 9110 sections 5.3 and 13.1). */
const CONDITIONS: ReadonlyMap<string, string> = new Map([
  ["if-match", "If-Match"],
  ["if-none-match", "If-None-Match"],
]);

/**
 * Creates the function that sets the fields that are sent as headers. If a header is absent, its field stays unset.
 *
 * For every HTTP method except GET and HEAD, a malformed If-Match or If-None-Match is a violation, even if the request message has no field for the
 * header, because the client expects a conditional write. For the same reason, If-Match is a violation if the request message has no field for it,
 * except the value `*`. For GET and HEAD, a malformed header counts as absent.
 */
function createHeaderDecoder({ method, rpc }: HttpRule, options: DecodeOptions) {
  const fields = listHeaderFields(rpc.input).map(({ field, name }) => ({
    header: name.toLowerCase(),
    name: field.name,
    title: name,
    set: createFieldTextSetter([field], createFieldTextDecoder(field, options)),
  }));
  const others = [...CONDITIONS].filter(([condition]) => fields.every(({ header }) => header !== condition));
  const isWrite = method !== "GET" && method !== "HEAD";

  function checkCondition(text: string, name: string, hint: string, state: DecodeState): boolean {
    const problem = findEntityTagsProblem(text);
    if (problem !== undefined && isWrite) violateAt(name, `${problem}${hint}`, state);
    return problem === undefined;
  }

  return (headers: RequestHeaders, message: UntypedMessage, state: DecodeState): void => {
    for (const { header, name, title, set } of fields) {
      const text = headers.header(header);
      if (text === undefined) continue;
      if (CONDITIONS.has(header)) {
        if (!checkCondition(text, name, `; JSON requests send this field as the header ${title}`, state)) continue;
      } else if (headers.isRepeated?.(header)) {
        violateAt(name, `${DUPLICATE_VIOLATION}: send one line of the header ${title}`, state);
        continue;
      }
      state.path.push(name);
      set(text, message, state);
      state.path.pop();
    }
    for (const [header, name] of others) {
      const text = headers.header(header);
      if (text === undefined || !checkCondition(text, name, "", state)) continue;
      // A request whose condition is false must not be executed (RFC 9110 section 13.1.1), and this method cannot evaluate the condition.
      if (isWrite && header === "if-match" && text.trim() !== "*")
        violateAt(name, "is not supported by this method: send the request without the header", state);
    }
  };
}

function violateAt(name: string, description: string, state: DecodeState): void {
  state.path.push(name);
  state.violate(description);
  state.path.pop();
}
