import { create } from "@bufbuild/protobuf";
import {
  type SourceAlias,
  type SourceAliases,
  SourceAliasesSchema,
  SourceAliasSchema,
  TrafficService,
} from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { UsageError } from "../../process/usage-error.js";

export function defineCommand(sourceAliases: CliCommand): void {
  addList(sourceAliases);
  addSet(sourceAliases);
  addRemove(sourceAliases);
  sourceAliases.subcommandExamples();
}

function addList(sourceAliases: CliCommand): void {
  sourceAliases
    .command("list")
    .description("list the aliases of an account's sources")
    .accountArgument()
    .etagOption()
    .run(async (invocation, accountId: string, options: EtagOption) => {
      const aliases = await invocation.client(TrafficService).getSourceAliases({ accountId });
      if (options.etag) await invocation.showOrEtag({ schema: SourceAliasesSchema }, aliases, options);
      else await show(invocation, aliases);
    })
    .examples("calltrack source-aliases list acme");
}

const setHelp = `
An alias maps the source name of visits to another source: fb=facebook. With a
medium, the alias replaces the medium of the visits too: gmb=google/local. An alias
applies to visits that are counted after it is set.
`;

function addSet(sourceAliases: CliCommand): void {
  sourceAliases
    .command("set")
    .description("add aliases, or replace aliases that have the same names; all other aliases remain")
    .accountArgument()
    .argument("<aliases...>", "aliases such as gmb=google/local")
    .ifMatchOption()
    .addHelpText("after", setHelp.trimEnd())
    .run(async (invocation, accountId: string, texts: string[], options: IfMatchOption) => {
      const given = texts.map(parseAlias);
      const names = new Set(given.map(({ name }) => name));
      await update(invocation, accountId, options, (aliases) => [
        ...aliases.filter(({ name }) => !names.has(name)),
        ...given,
      ]);
    })
    .examples("calltrack source-aliases set acme gmb=google/local gbp=google/local fb=facebook");
}

function addRemove(sourceAliases: CliCommand): void {
  sourceAliases
    .command("remove")
    .description("remove aliases")
    .accountArgument()
    .argument("<names...>", "the names of the aliases, such as gmb")
    .ifMatchOption()
    .run(async (invocation, accountId: string, texts: string[], options: IfMatchOption) => {
      const names = new Map(texts.map((text) => [normalizeName(text), text]));
      await update(invocation, accountId, options, (aliases) => {
        const known = new Set(aliases.map(({ name }) => name));
        const [, unknown] = [...names].find(([name]) => !known.has(name)) ?? [];
        if (unknown !== undefined)
          throw new UsageError(
            `${JSON.stringify(unknown)} is not an alias of this account: run calltrack source-aliases list for its aliases`,
          );
        return aliases.filter(({ name }) => !names.has(name ?? ""));
      });
    })
    .examples("calltrack source-aliases remove acme gmb");
}

/**
 * Changes an account's aliases. The update fails if somebody else has changed the aliases since they were read, because the request contains their
 * etag.
 */
async function update(
  invocation: Invocation,
  accountId: string,
  { ifMatch }: IfMatchOption,
  change: (aliases: readonly SourceAlias[]) => readonly SourceAlias[],
): Promise<void> {
  const client = invocation.client(TrafficService);
  const { aliases, etag } = await client.getSourceAliases({ accountId });
  const next = { accountId, aliases: [...change(aliases)], etag: ifMatch ?? etag };
  await show(invocation, await client.updateSourceAliases(next));
}

async function show(invocation: Invocation, { aliases }: SourceAliases): Promise<void> {
  await invocation.showList({ schema: SourceAliasSchema }, [aliases]);
}

/**
 * Parses an alias such as `gmb=google/local`. The name must not contain an equals sign, and the source must not contain a slash.
 *
 * @throws UsageError for any other text.
 */
function parseAlias(text: string): SourceAlias {
  const [, name, source, medium] = /^([^=]+)=([^/]+)(?:\/(.+))?$/.exec(text) ?? [];
  if (name === undefined || source === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not an alias: write NAME=SOURCE or NAME=SOURCE/MEDIUM`);
  return create(SourceAliasSchema, {
    name: normalizeName(name),
    source,
    ...(medium !== undefined && { medium }),
  });
}

/** The server stores the names of aliases in lower case. */
function normalizeName(text: string): string {
  return text.trim().toLowerCase();
}
