import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until the answer is true. */
export async function pollUntil(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await sleep(10);
}
