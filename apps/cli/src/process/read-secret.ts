import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Host } from "./host.js";

/**
 * Reads a secret. On a terminal, prompts on stderr and reads a line without echo; otherwise reads all of standard
 * input.
 */
export async function readSecret({ stdin, stderr, interrupt }: Host, prompt: string): Promise<string> {
  if (!stdin.isTTY) return (await text(stdin)).trim();
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: discard, terminal: true, historySize: 0 });
  // The terminal is in raw mode, so Ctrl-C arrives as a key.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  stderr.write(prompt);
  try {
    return (await Promise.race([terminal.question("", { signal: interrupt.stop }), ended])).trim();
  } finally {
    terminal.close();
    stderr.write("\n");
  }
}
