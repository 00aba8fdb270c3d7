import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type {
  GetSourceAliasesRequest,
  SourceAlias,
  UpdateSourceAliasesRequest,
} from "./gen/calltracking/v1/traffic_pb.js";
import { readOptionalSourceName, readSourceName } from "./source-name.js";

const MAX_ALIASES = 200;

/** A source and medium that visits with another source count for. */
export interface AliasTarget {
  readonly source: string;
  /** Undefined if visits keep theirs. */
  readonly medium: string | undefined;
}

/** The aliases of an account by the name that visits come with. */
export type SourceAliases = ReadonlyMap<string, AliasTarget>;

/**
 * Returns the source and medium that a visit counts for. No alias leads to another one, so applying them again changes
 * nothing: pages ask for the numbers of a source that has been replaced already.
 */
export function applyAliases<M extends string | undefined>(
  aliases: SourceAliases,
  { source, medium }: { readonly source: string; readonly medium: M },
): { readonly source: string; readonly medium: M | string } {
  const target = aliases.get(source);
  return target === undefined ? { source, medium } : { source: target.source, medium: target.medium ?? medium };
}

/**
 * Parses a request for the aliases of an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetSourceAliases(request: GetSourceAliasesRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request) });
}

/**
 * Parses a request that replaces the aliases of an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateSourceAliases(request: UpdateSourceAliasesRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  if (request.aliases.length > MAX_ALIASES) check.report("aliases", `must contain at most ${MAX_ALIASES} aliases`);
  const given = request.aliases.length > MAX_ALIASES ? [] : request.aliases;
  const entries = given.map((alias, index) => readAlias(check, `aliases[${index}]`, alias));
  const aliases = new Map<string, AliasTarget>();
  entries.forEach(([name, target], index) => {
    if (aliases.has(name)) check.report(`aliases[${index}].name`, "must have no other alias");
    aliases.set(name, target);
  });
  entries.forEach(([name, { source }], index) => {
    if (source !== name && aliases.has(source))
      check.report(`aliases[${index}].source`, "must be no alias itself: write the source that it stands for");
  });
  return check.done({ account, aliases });
}

function readAlias(check: FieldCheck, field: string, alias: SourceAlias): [string, AliasTarget] {
  const name = readSourceName(check, `${field}.name`, alias.name);
  const source = readSourceName(check, `${field}.source`, alias.source);
  const medium = readOptionalSourceName(check, `${field}.medium`, alias.medium);
  if (alias.source !== undefined && source === name && medium === undefined)
    check.report(`${field}.source`, "must differ from the name, or the alias must have a medium");
  return [name, { source, medium }];
}
