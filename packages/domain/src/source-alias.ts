import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type {
  GetSourceAliasesRequest,
  SourceAlias,
  UpdateSourceAliasesRequest,
} from "./gen/calltracking/v1/traffic_pb.js";
import { readOptionalSourceName, readSourceName } from "./source-name.js";

const MAX_ALIASES = 200;

/** The source and medium under which visits with a source alias are counted. */
export interface SourceAliasTarget {
  readonly source: string;
  /** Undefined if visits with the alias keep their medium. */
  readonly medium: string | undefined;
}

/** The targets of an account's source aliases, keyed by the alias: the source that a visit states. */
export type SourceAliases = ReadonlyMap<string, SourceAliasTarget>;

/**
 * Returns the source and medium under which a visit is counted. The target of an alias is never another alias, so applying the aliases twice has the
 * same result. Therefore, a page may request the numbers of a source that an alias has already replaced.
 */
export function applySourceAliases<M extends string | undefined>(
  aliases: SourceAliases,
  { source, medium }: { readonly source: string; readonly medium: M },
): { readonly source: string; readonly medium: M | string } {
  const target = aliases.get(source);
  return target === undefined ? { source, medium } : { source: target.source, medium: target.medium ?? medium };
}

/** @throws DomainError `FIELD_INVALID` */
export function parseGetSourceAliasesRequest(request: GetSourceAliasesRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateSourceAliasesRequest(request: UpdateSourceAliasesRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  if (request.aliases.length > MAX_ALIASES) check.report("aliases", `must contain at most ${MAX_ALIASES} aliases`);
  const given = request.aliases.length > MAX_ALIASES ? [] : request.aliases;
  const entries = given.map((alias, index) => readAlias(check, `aliases[${index}]`, alias));
  const aliases = new Map<string, SourceAliasTarget>();
  entries.forEach(([name, target], index) => {
    if (aliases.has(name)) check.report(`aliases[${index}].name`, "must not repeat the name of an earlier entry");
    aliases.set(name, target);
  });
  entries.forEach(([name, { source }], index) => {
    if (source !== name && aliases.has(source))
      check.report(`aliases[${index}].source`, "must not be the name of another alias: use the source of that alias");
  });
  return check.done({ account, aliases });
}

function readAlias(check: FieldCheck, field: string, alias: SourceAlias): [string, SourceAliasTarget] {
  const name = readSourceName(check, `${field}.name`, alias.name);
  const source = readSourceName(check, `${field}.source`, alias.source);
  const medium = readOptionalSourceName(check, `${field}.medium`, alias.medium);
  if (alias.source !== undefined && source === name && medium === undefined)
    check.report(`${field}.source`, "must differ from name unless medium is set");
  return [name, { source, medium }];
}
