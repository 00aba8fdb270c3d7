import { once } from "node:events";
import type { CommandHost } from "../process/command-host.js";
import { writeText } from "./write-text.js";

/** Writes a list to stdout, or on a terminal through the program in PAGER if it is set. */
export async function writeWithPager(
  host: CommandHost,
  chunks: AsyncIterable<string>,
  isWanted: boolean,
): Promise<void> {
  const { PAGER = "" } = process.env;
  if (!isWanted || !host.stdout.isTTY || PAGER === "" || PAGER === "cat") return await writeText(host.stdout, chunks);
  const { spawn } = await import("node:child_process");
  // With these options, `less` keeps colors, and quits if the list fits on the screen.
  const env = { LESS: "FRX", LV: "-c", ...process.env };
  const pager = spawn(PAGER, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
  const ended = once(pager, "close");
  const left = new Promise<void>((resolve) => pager.stdin.once("error", () => resolve()));
  const written = writeText(pager.stdin, chunks);
  await Promise.race([written, left, ended]).finally(() => pager.stdin.end());
  await ended;
}
