import { runCommand } from "./run-command.js";

/** Runs an import with `run`. Returns its counts as `tally`, which is undefined if the import printed none. */
export async function runImport(args: readonly string[], options: Parameters<typeof runCommand>[1], run = runCommand) {
  const { exitCode, stdout, stderr } = await run([...args, "--output", "json"], options);
  return { exitCode, stderr, tally: stdout === "" ? undefined : JSON.parse(stdout) };
}

/** Returns all counts of an import, with 0 for those not given, and their sum as `rows`. */
export function tallyOf(counts: Record<string, number>): Record<string, number> {
  const all = { created: 0, already_there: 0, refused: 0, unanswered: 0, ...counts };
  return { rows: Object.values(all).reduce((sum, count) => sum + count), ...all };
}
