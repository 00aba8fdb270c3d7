// The process that attacks a server, one attack at a time.
import { setMaxListeners } from "node:events";
import type { AttackResult, AttackTarget } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

process.on("message", ({ name, target, seconds }: { name: string; target: AttackTarget; seconds: number }) => {
  const signal = AbortSignal.timeout(seconds * 1000);
  setMaxListeners(0, signal);
  const result: AttackResult = { opened: 0, closed: 0, answers: {} };
  ATTACKS[name]?.(target, result, signal).then(() => process.send?.(result));
});

// The parent has exited.
process.on("disconnect", () => process.exit(1));
