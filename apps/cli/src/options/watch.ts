import { setTimeout as sleep } from "node:timers/promises";
import type { CommandHost } from "../process/command-host.js";

export interface WatchOption {
  /** Interval in milliseconds; `true` for the default. */
  readonly watch?: number | true;
}

const DEFAULT_INTERVAL_MS = 2000;

/** ECMA-48: moves the cursor to the top left and clears the screen, but not the scrollback. */
const CLEAR_SCREEN = "\u001b[H\u001b[2J";

/** Repeats a command until Ctrl-C; on a terminal, each run replaces the previous output. */
export async function runRepeatedly(
  { stdout, interrupt }: CommandHost,
  watch: number | true,
  run: () => Promise<void>,
): Promise<void> {
  while (!interrupt.stop.aborted) {
    if (stdout.isTTY) stdout.write(CLEAR_SCREEN);
    await run();
    await sleep(watch === true ? DEFAULT_INTERVAL_MS : watch, undefined, { signal: interrupt.stop }).catch(() => {});
  }
}
