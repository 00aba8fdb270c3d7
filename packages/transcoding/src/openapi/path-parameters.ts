import type { JsonValue } from "@bufbuild/protobuf";
import type { PathTemplate, TemplateVariable } from "../routing/path-template.js";
import { getLastField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findFieldExample } from "./field-example.js";
import { describeFieldContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiParameter } from "./openapi-document.js";
import type { Schema } from "./schema.js";
import { getJsonFieldName, type JsonOptions, PARAMETER_SCHEMA_USE } from "./schema-use.js";

/** A path template in the form of OpenAPI, in which every wildcard is a parameter. */
export interface OpenApiPath {
  readonly path: string;
  /** The parameter name of each wildcard, in the order of the wildcards. */
  readonly names: readonly string[];
}

/**
 * Returns the path of a rule in the form of OpenAPI. OpenAPI has no variables of several segments, so `{name=shelves/*}` becomes
 * `shelves/{shelvesId}`, like `flatPath` in Google's discovery documents. A variable that is one wildcard keeps its name, even if the wildcard is
 * `**`.
 */
export function createOpenApiPath(rule: HttpRule, json: JsonOptions): OpenApiPath {
  const { segments, verb } = rule.template;
  const names: string[] = [];
  const parts = segments.map((segment, index) => {
    if (segment.kind === "literal") return segment.value;
    const name = nameWildcard(rule, index, json, names);
    names.push(name);
    return `{${name}}`;
  });
  return { path: `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`, names };
}

/** Creates the parameters of a rule's path. `names` has the parameter name of each wildcard. */
export function createPathParameters(
  rule: HttpRule,
  names: readonly string[],
  context: FieldSchemaContext,
): readonly OpenApiParameter[] {
  const { segments } = rule.template;
  const wildcards = [...segments.keys()].filter((index) => segments[index]?.kind !== "literal");
  return wildcards.map((index, position) => {
    const { paragraphs, schema, example } = describeWildcard(rule, index, names, context);
    const description = paragraphs.filter(Boolean).join("\n\n");
    return {
      name: names[position] ?? "",
      in: "path",
      required: true,
      ...(description !== "" && { description }),
      schema,
      ...(example !== undefined && { example }),
      ...(isMulti(rule, index) && { "x-multi-segment": true as const }),
    };
  });
}

interface WildcardDescription {
  readonly paragraphs: readonly (string | false | undefined)[];
  readonly schema: Schema;
  readonly example?: JsonValue | undefined;
}

function describeWildcard(
  rule: HttpRule,
  index: number,
  names: readonly string[],
  context: FieldSchemaContext,
): WildcardDescription {
  const bound = findVariable(rule, index);
  if (bound === undefined) return { paragraphs: ["Any value."], schema: { type: "string" } };
  const { variable, path } = bound;
  const field = getLastField(path);
  if (isWhole(variable)) {
    const { description, ...content } = describeFieldContent(field, PARAMETER_SCHEMA_USE, context);
    return { paragraphs: [description, isMulti(rule, index) && MANY_SEGMENTS], ...content };
  }
  const fieldName = path.map((each) => getJsonFieldName(each, context.json)).join(".");
  const part = `Part of \`${fieldName}\`, whose pattern is \`${printPattern(rule.template, variable, names)}\`.`;
  const segments = String(findFieldExample(field, context.json) ?? "").split("/");
  const example = segments.length === variable.end - variable.start ? segments[index - variable.start] : undefined;
  return { paragraphs: [context.comments.find(field), part], schema: { type: "string" }, example };
}

/** Finds the variable that contains the wildcard at `index`, and the field that the variable sets. Undefined for a wildcard outside variables. */
function findVariable({ template, pathFields }: HttpRule, index: number) {
  const position = template.variables.findIndex(({ start, end }) => start <= index && index < end);
  const variable = template.variables[position];
  const path = pathFields[position];
  return variable && path && { variable, path };
}

function isMulti({ template }: HttpRule, index: number): boolean {
  return template.segments[index]?.kind === "multi";
}

function isWhole({ start, end }: TemplateVariable): boolean {
  return end - start === 1;
}

function nameWildcard(rule: HttpRule, index: number, json: JsonOptions, taken: readonly string[]): string {
  const bound = findVariable(rule, index);
  const before = rule.template.segments[index - 1];
  const name =
    bound !== undefined && isWhole(bound.variable)
      ? bound.path.map((field) => getJsonFieldName(field, json)).join(".")
      : before?.kind === "literal"
        ? `${before.value.replace(/\W/g, "_")}Id`
        : "segment";
  let free = name;
  for (let count = 2; taken.includes(free); count++) free = `${name}${count}`;
  return free;
}

const MANY_SEGMENTS =
  "Any number of path segments, including none. Write the slashes between segments unescaped; `%2F` is a slash within a segment.";

function printPattern({ segments }: PathTemplate, { start, end }: TemplateVariable, names: readonly string[]): string {
  const skipped = segments.slice(0, start).filter(({ kind }) => kind !== "literal").length;
  let position = skipped;
  return segments
    .slice(start, end)
    .map((segment) => (segment.kind === "literal" ? segment.value : `{${names[position++]}}`))
    .join("/");
}
