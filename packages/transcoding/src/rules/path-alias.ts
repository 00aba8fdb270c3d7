import type { HttpResponse } from "../gen/transcoding/v1/http_pb.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import type { TemplateSegment } from "../routing/path-template.js";
import type { HttpRule } from "./http-rule.js";

/** Aliases of path prefixes: `{ "/v1beta": "/v1" }` also serves `/v1/…` as `/v1beta/…`. */
export type PathAliases = Readonly<Record<string, string>>;

/**
 * Adds a rule for each rule whose path begins with an aliased prefix. In the added rule, the path and the Location begin with the alias instead.
 *
 * @throws Error for an alias or a prefix that does not consist of literals, for a prefix with which no path begins, and for a path in which a
 *   variable contains a part of the prefix.
 */
export function addAliasRules(rules: readonly HttpRule[], aliases: PathAliases): readonly HttpRule[] {
  return [...rules, ...Object.entries(aliases).flatMap(([alias, prefix]) => createAliasRules(rules, alias, prefix))];
}

function createAliasRules(rules: readonly HttpRule[], alias: string, prefix: string): readonly HttpRule[] {
  const before = parsePrefix(prefix);
  const after = parsePrefix(alias);
  const aliased = rules.filter(({ template }) => startsWith(template.segments, before));
  if (aliased.length === 0)
    throw new Error(`pathAliases "${alias}": no path begins with "${prefix}"; correct the prefix`);
  return aliased.map((rule) => {
    const { segments, variables } = rule.template;
    const moved = after.length - before.length;
    if (variables.some(({ start }) => start < before.length))
      throw new Error(
        `pathAliases "${alias}": ${rule.rpc.toString()} has a variable that contains a part of "${prefix}"; shorten the prefix`,
      );
    return {
      ...rule,
      template: {
        ...rule.template,
        segments: [...after, ...segments.slice(before.length)],
        variables: variables.map((each) => ({ ...each, start: each.start + moved, end: each.end + moved })),
      },
      response: rule.response && withAlias(rule.response, alias, prefix),
    };
  });
}

function withAlias(response: HttpResponse, alias: string, prefix: string): HttpResponse {
  const move = (location: string) =>
    location.startsWith(`${prefix}/`) ? alias + location.slice(prefix.length) : location;
  return { ...response, location: move(response.location), fallbackLocation: move(response.fallbackLocation) };
}

function parsePrefix(text: string): readonly TemplateSegment[] {
  const { segments, verb } = parsePathTemplate(text);
  if (segments.length > 0 && verb === undefined && segments.every(({ kind }) => kind === "literal")) return segments;
  throw new Error(`pathAliases: "${text}" must consist of literal segments, as in /v1`);
}

function startsWith(segments: readonly TemplateSegment[], prefix: readonly TemplateSegment[]): boolean {
  return prefix.every((part, index) => {
    const segment = segments[index];
    return part.kind === "literal" && segment?.kind === "literal" && segment.value === part.value;
  });
}
