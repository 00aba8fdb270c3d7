import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { fillPath } from "../json-client.js";
import { fuzzJson, fuzzJsonObject } from "./fuzz-json.js";
import type { FuzzMethod } from "./fuzz-method.js";
import type { FuzzProtocol } from "./fuzz-protocol.js";
import type { WireRequest } from "./wire-client.js";

/**
 * Generates query strings of Connect GET requests for a message. Some have wrong or missing parameters
 * (https://connectrpc.com/docs/protocol#unary-get-request).
 */
export function fuzzQuery(message: Uint8Array, codec: FuzzProtocol["codec"]): fc.Arbitrary<string> {
  const bytes = Buffer.from(message);
  const asText = { message: bytes.toString("utf8") };
  const asBase64 = { message: bytes.toString("base64url"), base64: "1" };
  const encoding = { encoding: codec };
  const version = { connect: "v1" };
  return fc
    .tuple(
      fc.constantFrom(asBase64, asBase64, asText, { ...asText, base64: "1" }, {}),
      fc.constantFrom(encoding, encoding, encoding, { encoding: "xml" }, {}),
      fc.constantFrom(version, version, { connect: "v9" }, { compression: "gzip" }, { compression: "zip" }, {}),
    )
    .map((parameters) => String(new URLSearchParams(Object.assign({}, ...parameters))));
}

/** Generates requests for a JSON path. Fields that are not in the path are in the query of a GET, or in the body of other requests. */
export function fuzzPathRequest(method: FuzzMethod): fc.Arbitrary<Pick<WireRequest, "verb" | "target" | "body">> {
  const { input } = method.method;
  const { verb, template, fields } = method.path as NonNullable<FuzzMethod["path"]>;
  return fuzzJsonObject(input, fields as JsonObject).chain((object) => {
    const rest = { ...object };
    const path = fillPath(template, (name) => {
      delete rest[name];
      return textOf(object[name] ?? fields[name]);
    });
    const query = Object.entries(rest).map(([name, value]): [string, string] => [name, textOf(value)]);
    const target = verb === "GET" ? `${path}?${new URLSearchParams(query)}` : path;
    const body = verb === "GET" ? fc.constant(undefined) : fuzzJson(input, rest);
    return body.map((bytes) => ({ verb, target, body: bytes }));
  });
}

function textOf(value: unknown): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed();
}
