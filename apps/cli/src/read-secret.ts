import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Host } from "./host.js";

/** Reads a secret: from a terminal a line that is not shown, after a prompt on stderr; else all of standard input. */
export async function readSecret({ stdin, stderr, interrupt }: Host, prompt: string): Promise<string> {
  if (!stdin.isTTY) return (await text(stdin)).trim();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // As the terminal is read key by key, Ctrl-C is one of them.
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
