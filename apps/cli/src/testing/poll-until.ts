import { setTimeout as sleep } from "node:timers/promises";

/** Polls every 10 ms until the condition is true. */
export async function pollUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
