import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Command } from "commander";
import type { Invocation } from "./invocation.js";
import type { ResourceView } from "./views/resource-view.js";

/** The option of a command that shows one resource. */
export interface EtagOption {
  readonly etag?: boolean;
}

/** The option of a command that changes one resource. */
export interface IfMatchOption {
  readonly ifMatch?: string;
}

/** Adds the option by which a command writes the etag of a resource alone. */
export function addEtagOption(command: Command): Command {
  return command.option("--etag", "write nothing but its etag, for --if-match");
}

/** Adds the option by which a command changes a resource only if nobody else has meanwhile (RFC 9110 section 13.1.1). */
export function addIfMatchOption(command: Command): Command {
  return command.option("--if-match <etag>", "change it only if it still has this etag", parseEtagOption);
}

/** Shows a resource, or its etag alone. */
export async function showOrEtag<Desc extends DescMessage>(
  invocation: Invocation,
  view: ResourceView<Desc>,
  message: MessageShape<Desc> & { readonly etag: string },
  { etag }: EtagOption,
): Promise<void> {
  if (etag) invocation.host.stdout.write(`${message.etag}\n`);
  else await invocation.show(view, message);
}

/** Shells take the quotes of an etag for their own. */
function parseEtagOption(text: string): string {
  return /^(?:\*|.*".*)$/.test(text) ? text : `"${text}"`;
}
