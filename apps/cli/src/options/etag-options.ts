import type { Command } from "commander";

/** The option of commands that show one resource. */
export interface EtagOption {
  readonly etag?: boolean;
}

/** The option of commands that update one resource. */
export interface IfMatchOption {
  readonly ifMatch?: string;
}

/** Adds the option that prints only the etag of a resource. */
export function addEtagOption(command: Command): Command {
  return command.option("--etag", "print only its etag, for use with --if-match");
}

/** Adds the option that makes an update conditional on the resource's etag (RFC 9110 section 13.1.1). */
export function addIfMatchOption(command: Command): Command {
  return command.option("--if-match <etag>", "update it only if it still has this etag", parseEtagOption);
}

/** Adds the quotes of an etag that the shell removed. */
function parseEtagOption(text: string): string {
  return /^(?:\*|.*".*)$/.test(text) ? text : `"${text}"`;
}
