import { type DescField, getOption, hasOption, toJson } from "@bufbuild/protobuf";
import { http } from "@calltrack/domain/gen/google/api/annotations_pb";
import { header } from "@calltrack/domain/gen/transcoding/v1/http_pb";
import type { SentRequest } from "../api/request-history";

/** A request to the JSON paths of the API. */
export interface JsonRequest {
  readonly verb: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as JSON; undefined if the request has none. */
  readonly body: string | undefined;
}

/** Translates an RPC to the request of its JSON path, by the annotations in the protos. */
export function jsonRequestOf({ method, message }: SentRequest): JsonRequest {
  const rule = getOption(method, http);
  const { case: verb = "post", value: template } = rule.pattern;
  if (typeof template !== "string") throw new Error(`${method.name} has no path`);
  const values = new Map<string, unknown>(
    Object.entries(toJson(method.input, message, { useProtoFieldName: true }) as object),
  );
  const headers: [string, string][] = [];
  for (const field of method.input.fields) {
    const value = values.get(field.name);
    if (value === undefined) continue;
    values.set(field.name, shortEnums(field, value));
    if (!hasOption(field, header)) continue;
    values.delete(field.name);
    headers.push([getOption(field, header), String(value)]);
  }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(values.get(name) ?? ""));
    values.delete(name);
    return value;
  });
  const hasBody = rule.body === "*";
  return {
    verb: verb.toUpperCase(),
    path: hasBody ? path : path + queryOf(values),
    headers,
    body: hasBody ? JSON.stringify(Object.fromEntries(values)) : undefined,
  };
}

function queryOf(values: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of values) for (const each of [value].flat()) query.append(name, String(each));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Removes the common prefix of enum values, as the JSON paths do. */
function shortEnums(field: DescField, value: unknown): unknown {
  const prefix =
    (field.fieldKind === "enum" || field.fieldKind === "list" ? field.enum?.sharedPrefix : undefined) ?? "";
  if (prefix === "") return value;
  const shorten = (name: unknown) => String(name).slice(prefix.length).toLowerCase();
  return Array.isArray(value) ? value.map(shorten) : shorten(value);
}
