import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { PathTemplate, TemplateVariable } from "../routing/path-template.js";
import type { FieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findFieldExample } from "./field-example.js";
import { describeContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiParameter } from "./openapi-document.js";
import type { Schema } from "./schema.js";
import { type JsonForm, memberName, PARAMETER } from "./schema-use.js";

/** A path template in OpenAPI form: every wildcard is a parameter. */
export interface OpenApiPath {
  readonly path: string;
  /** The parameter names of the wildcards, in order. */
  readonly names: readonly string[];
}

/**
 * Prints the path of a rule. OpenAPI has no multi-segment variables, so `{name=shelves/*}` becomes `shelves/{shelvesId}`, like
 * the `flatPath` of Google's discovery documents. A single-segment variable keeps its name, and so does `**`, which becomes one
 * parameter.
 */
export function createOpenApiPath(rule: HttpRule, json: JsonForm): OpenApiPath {
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

/** Creates the parameters of a rule's path. `names` are the parameter names of its wildcards. */
export function createPathParameters(
  rule: HttpRule,
  names: readonly string[],
  context: FieldSchemaContext,
): readonly OpenApiParameter[] {
  const { segments } = rule.template;
  const wildcards = [...segments.keys()].filter((index) => segments[index]?.kind !== "literal");
  return wildcards.map((index, position) => {
    const name = names[position] ?? "";
    const bound = findVariable(rule, index);
    const multi = segments[index]?.kind === "multi";
    return {
      ...(bound === undefined
        ? describeUnbound(name)
        : isWhole(bound.variable)
          ? describeWhole(name, bound.field, multi, context)
          : describePart(name, index, bound, printPattern(rule.template, bound.variable, names), context)),
      ...(multi && { "x-multi-segment": true as const }),
    };
  });
}

interface BoundWildcard {
  readonly variable: TemplateVariable;
  readonly path: FieldPath;
  readonly field: DescField;
}

function findVariable({ template, pathFields }: HttpRule, index: number): BoundWildcard | undefined {
  const position = template.variables.findIndex(({ start, end }) => start <= index && index < end);
  const variable = template.variables[position];
  const path = pathFields[position];
  return variable && path && { variable, path, field: path.at(-1) ?? path[0] };
}

function isWhole({ start, end }: TemplateVariable): boolean {
  return end - start === 1;
}

function nameWildcard(rule: HttpRule, index: number, json: JsonForm, taken: readonly string[]): string {
  const bound = findVariable(rule, index);
  const before = rule.template.segments[index - 1];
  const name =
    bound !== undefined && isWhole(bound.variable)
      ? bound.path.map((field) => memberName(field, json)).join(".")
      : before?.kind === "literal"
        ? `${before.value.replace(/\W/g, "_")}Id`
        : "segment";
  if (!taken.includes(name)) return name;
  for (let count = 2; ; count++) {
    if (!taken.includes(`${name}${count}`)) return `${name}${count}`;
  }
}

const MANY_SEGMENTS =
  "Any number of path segments, including none. Write the slashes between segments unescaped; `%2F` is a slash within a segment.";

function describeUnbound(name: string): OpenApiParameter {
  return { name, in: "path", required: true, description: "Any value.", schema: { type: "string" } };
}

function describeWhole(name: string, field: DescField, multi: boolean, context: FieldSchemaContext): OpenApiParameter {
  const { description, schema, example } = describeContent(field, PARAMETER, context);
  return createParameter(name, [description, multi && MANY_SEGMENTS], schema, example);
}

function describePart(
  name: string,
  index: number,
  { variable, path, field }: BoundWildcard,
  pattern: string,
  context: FieldSchemaContext,
): OpenApiParameter {
  const fieldName = path.map((each) => memberName(each, context.json)).join(".");
  const part = `Part of \`${fieldName}\`, whose pattern is \`${pattern}\`.`;
  const segments = String(findFieldExample(field, context.json) ?? "").split("/");
  const example = segments.length === variable.end - variable.start ? segments[index - variable.start] : undefined;
  return createParameter(name, [context.comments.find(field), part], { type: "string" }, example);
}

function createParameter(
  name: string,
  paragraphs: readonly (string | false | undefined)[],
  schema: Schema,
  example: JsonValue | undefined,
): OpenApiParameter {
  const description = paragraphs.filter(Boolean).join("\n\n");
  return {
    name,
    in: "path",
    required: true,
    ...(description !== "" && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

function printPattern({ segments }: PathTemplate, { start, end }: TemplateVariable, names: readonly string[]): string {
  const skipped = segments.slice(0, start).filter(({ kind }) => kind !== "literal").length;
  let position = skipped;
  return segments
    .slice(start, end)
    .map((segment) => (segment.kind === "literal" ? segment.value : `{${names[position++]}}`))
    .join("/");
}
