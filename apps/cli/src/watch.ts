import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Host } from "./host.js";
import { parseTimeoutOption } from "./option-value.js";

/** The option of a command that can be run again and again. */
export interface WatchOption {
  /** The pause between two runs, in milliseconds; `true` for the default. */
  readonly watch?: number | true;
}

const DEFAULT_MS = 2000;

/** ECMA-48: the cursor goes to the top left, and the screen is erased, with what was scrolled out of it left alone. */
const CLEAR_SCREEN = "\u001b[H\u001b[2J";

/** Adds the option by which a command shows its result again and again. */
export function addWatchOption(command: Command): Command {
  return command.option("--watch [time]", "show it again every two seconds, or as often as told", parseTimeoutOption);
}

/** Runs a command until Ctrl-C, on a terminal over what it wrote before. */
export async function runWatching(
  { stdout, interrupt }: Host,
  watch: number | true,
  run: () => Promise<void>,
): Promise<void> {
  while (!interrupt.stop.aborted) {
    if (stdout.isTTY) stdout.write(CLEAR_SCREEN);
    await run();
    await sleep(watch === true ? DEFAULT_MS : watch, undefined, { signal: interrupt.stop }).catch(() => {});
  }
}
