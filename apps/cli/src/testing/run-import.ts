import { runCommand } from "./run-command.js";

/**
 * Runs an import and returns its counts; undefined if it printed none.
 *
 * @param run runs in place of a command in this process.
 */
export async function runImport(args: readonly string[], options: Parameters<typeof runCommand>[1], run = runCommand) {
  const { exitCode, stdout, stderr } = await run([...args, "--output", "json"], options);
  return { exitCode, stderr, tally: stdout === "" ? undefined : JSON.parse(stdout) };
}

/** Returns the counts of an import, by default 0, and their sum. */
export function tallyOf(counts: Record<string, number>): Record<string, number> {
  const all = { created: 0, already_there: 0, refused: 0, unanswered: 0, ...counts };
  return { rows: Object.values(all).reduce((sum, count) => sum + count), ...all };
}
