import type { DescMessage } from "@bufbuild/protobuf";
import { type HttpRule, hasResponseBody } from "../rules/http-rule.js";
import { findWellKnownSchema } from "./well-known-schema.js";

/** Finds all message types in the responses of rules, nested ones included. */
export function findReturnedMessages(rules: readonly HttpRule[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (desc === undefined || found.has(desc) || findWellKnownSchema(desc, {}) !== undefined) return;
    found.add(desc);
    for (const field of desc.fields) add(field.message);
  };
  for (const { responseBody, rpc } of rules.filter(hasResponseBody)) {
    add(responseBody === undefined ? rpc.output : responseBody.message);
  }
  return found;
}
