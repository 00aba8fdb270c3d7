import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { CommandHost } from "./command-host.js";
import { readStdin } from "./read-stdin.js";

/** Reads a secret. On a terminal, prompts on stderr and reads a line without echo; otherwise reads all of standard input. */
export async function readSecret(host: CommandHost, prompt: string): Promise<string> {
  const { stdin, stderr, interrupt } = host;
  if (!stdin.isTTY) return (await readStdin(host)).trim();
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
