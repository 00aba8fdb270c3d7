import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type { DumpEnd, DumpHeader } from "../database/dump/dump-format.js";

/** What is in the file of a dump. */
export interface DumpLines extends DumpEnd {
  readonly header: DumpHeader;
  /** The lines between the header and the end. */
  readonly data: readonly string[];
}

/** Reads a complete dump. */
export async function readDumpFile(file: string): Promise<DumpLines> {
  const lines = gunzipSync(await readFile(file))
    .toString()
    .split("\n");
  return { header: JSON.parse(lines[0] ?? ""), data: lines.slice(1, -2), ...JSON.parse(lines.at(-2) ?? "") };
}

/** Writes a file with the lines of a dump, whatever they are. */
export async function writeDumpFile(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, gzipSync(lines.map((line) => `${line}\n`).join("")));
}
