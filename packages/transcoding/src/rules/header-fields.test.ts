import { create, type DescMessage, setExtension } from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { CreateShelfRequestSchema } from "../gen/library/v1/library_pb.js";
import { header as headerOption } from "../gen/transcoding/v1/http_pb.js";
import { buildMessages } from "../testing/build-message.js";
import { buildService, httpGet, httpPost } from "../testing/build-service.js";
import { findHeaderProblems, listHeaderFields } from "./header-fields.js";
import { readHttpRules } from "./read-http-rules.js";

/** Builds a message type whose fields all have this label and are all sent as headers. */
function buildMessage(headers: Readonly<Record<string, string>>, label = Label.OPTIONAL): DescMessage {
  const fields = Object.entries(headers).map(([name, header]) => {
    const options = create(FieldOptionsSchema);
    setExtension(options, headerOption, header);
    return { name, type: Type.STRING, label, options };
  });
  return buildMessages({ Message: fields })[0] as DescMessage;
}

describe("rule 23: transcoding.v1.header", () => {
  test("names the header of a field", () => {
    const fields = listHeaderFields(CreateShelfRequestSchema);
    expect(fields.map(({ field, name }) => [field.name, name])).toEqual([["request_id", "Idempotency-Key"]]);
    expect(findHeaderProblems(CreateShelfRequestSchema, [])).toEqual([]);
  });

  test.each<[DescMessage, string]>([
    [buildMessage({ a: "If Match" }), 'header "If Match" is not a valid header name'],
    [buildMessage({ a: "If-Match", b: "if-match" }), 'two fields are sent as the header "if-match"'],
    [buildMessage({ a: "If-Match" }, Label.REPEATED), 'header field "a" is repeated'],
  ])("is rejected: %#", (message, problem) => {
    expect(findHeaderProblems(message, [])).toEqual([expect.stringContaining(problem)]);
  });

  test.each([{ ...httpGet("/v1/{request_id}/{shelf_id}"), body: "shelf" }, httpPost("/v1", "request_id")])(
    "a field has no other source: %j",
    (http) => {
      const service = buildService("Test", { Call: { input: CreateShelfRequestSchema, http } });
      expect(() => readHttpRules([service])).toThrow(
        'test.v1.Test.Call: header field "request_id" is already bound by the path or the body',
      );
    },
  );
});
