import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { Readable } from "node:stream";
import type { Host } from "../host.js";
import { UsageError } from "../usage-error.js";
import { openCsvFile } from "./csv-file.js";
import { fileErrorText } from "./file-error.js";
import type { ImportColumns } from "./import-columns.js";
import type { RowFile } from "./import-row.js";
import { openJsonlFile } from "./jsonl-file.js";
import { utf8Text } from "./utf8-text.js";

/** The names of the formats of a file of rows. */
export const rowFormatNames = ["csv", "jsonl"] as const;

/** One of {@link rowFormatNames}. */
export type RowFormatName = (typeof rowFormatNames)[number];

/** The name of a file that stands for standard input. */
export const STDIN = "-";

/** A file of rows that is being read. */
export interface OpenRowFile extends RowFile {
  /** The size of the file, or undefined where it is not known beforehand. */
  readonly totalBytes: number | undefined;
  /** Stops reading: with a reason, the rows end by throwing it. */
  close(reason?: Error): void;
}

const formatsByExtension: Readonly<Record<string, RowFormatName>> = {
  ".csv": "csv",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
};

/** The format of a file: as said, or by the ending of its name; CSV for standard input. Throws a `UsageError` for another ending. */
export function rowFormatOf(file: string, said: RowFormatName | undefined): RowFormatName {
  const format = said ?? (file === STDIN ? "csv" : formatsByExtension[extname(file).toLowerCase()]);
  if (format !== undefined) return format;
  throw new UsageError(`${file} ends in neither .csv nor .jsonl: say which it is with --format`);
}

/** Opens a file of rows, or standard input. Throws a `UsageError` where it can't be read or its header is wrong. */
export async function openRowFile(
  file: string,
  format: RowFormatName,
  columns: ImportColumns,
  host: Host,
): Promise<OpenRowFile> {
  const { stream, totalBytes } = await openBytes(file, host);
  // It may be closed before anyone reads from it; whoever does gets the error as well.
  stream.on("error", () => {});
  const text = utf8Text(stream);
  try {
    const rowFile = format === "csv" ? await openCsvFile(text, columns) : openJsonlFile(text, columns);
    return { ...rowFile, totalBytes, close: (reason) => void stream.destroy(reason) };
  } catch (error) {
    stream.destroy();
    throw error instanceof UsageError
      ? new UsageError(`${file === STDIN ? "standard input" : file}: ${error.message}`, { cause: error })
      : error;
  }
}

async function openBytes(file: string, host: Host): Promise<{ stream: Readable; totalBytes: number | undefined }> {
  if (file === STDIN) return { stream: host.stdin, totalBytes: undefined };
  try {
    const handle = await open(file);
    const status = await handle.stat();
    if (status.isDirectory()) throw new UsageError("it is a directory");
    return { stream: handle.createReadStream(), totalBytes: status.isFile() ? status.size : undefined };
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${fileErrorText(error)}`, { cause: error });
  }
}
