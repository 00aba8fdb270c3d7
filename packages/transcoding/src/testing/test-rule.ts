import type { DescMessage } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { HttpResponseSchema } from "../gen/transcoding/v1/http_pb.js";
import { getLastField, requireFieldPath, requirePrimitiveFieldPath } from "../rules/field-path.js";
import type { BodyBinding, HttpRule } from "../rules/http-rule.js";

/** A rule for a test. Omitted members have typical values. */
export interface TestRule {
  readonly input: DescMessage;
  readonly method?: string;
  /** The fields that the path binds. */
  readonly path?: readonly string[];
  /** The property `body` of `google.api.http`: `*`, the name of a field, or empty for no body. */
  readonly body?: string;
  readonly refuseNull?: boolean;
}

/** Creates a rule for an RPC with this request message, for tests of decoders. */
export function createTestRule({
  input,
  method = "POST",
  path = [],
  body = "",
  refuseNull = false,
}: TestRule): HttpRule {
  return {
    rpc: { ...LibraryService.method.getBook, input },
    method,
    template: { segments: [], verb: undefined, variables: [] },
    pathFields: path.map((name) => requirePrimitiveFieldPath(input, name)),
    body: bindBody(input, body),
    responseBody: undefined,
    response: create(HttpResponseSchema, { refuseNull }),
  };
}

function bindBody(input: DescMessage, name: string): BodyBinding {
  if (name === "" || name === "*") {
    return { kind: name === "" ? "none" : "message" };
  }
  return { kind: "field", field: getLastField(requireFieldPath(input, name)) };
}
