import { open, stat } from "node:fs/promises";
import { extname } from "node:path";
import type { Readable } from "node:stream";
import { openNamedPipe } from "../process/open-named-pipe.js";
import { openStdin, type StdinHost } from "../process/read-stdin.js";
import { UsageError } from "../process/usage-error.js";
import { formatFileError } from "../text/format-file-error.js";
import { openCsvFile } from "./csv-file.js";
import { decodeFile } from "./decode-file.js";
import type { RowColumns } from "./import-columns.js";
import type { RowFile } from "./import-row.js";
import { openJsonlFile } from "./jsonl-file.js";

export const rowFormatNames = ["csv", "jsonl"] as const;

export type RowFormatName = (typeof rowFormatNames)[number];

/** The file name that stands for standard input. */
export const STDIN_FILE_NAME = "-";

export interface OpenRowFile extends RowFile {
  /** The size of the file; undefined if unknown. */
  readonly totalBytes: number | undefined;
  /** Stops reading the file, even before its end. */
  close(): void;
}

const formatsByExtension: Readonly<Record<string, RowFormatName>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
};

/** Returns the requested format, or that of the file's extension, or CSV for standard input. Throws UsageError for an unknown extension. */
export function resolveRowFormat(file: string, requested: RowFormatName | undefined): RowFormatName {
  const format = requested ?? (file === STDIN_FILE_NAME ? "csv" : formatsByExtension[extname(file).toLowerCase()]);
  if (format !== undefined) return format;
  throw new UsageError(`${file} has no known extension (.csv, .tsv, .jsonl, .ndjson): set the format with --format`);
}

/**
 * Opens an import file or standard input. Reading further rows throws if the command is interrupted.
 *
 * @throws UsageError if the file cannot be read or its header is invalid.
 */
export async function openRowFile(
  file: string,
  format: RowFormatName,
  columns: RowColumns,
  host: StdinHost,
): Promise<OpenRowFile> {
  const { stream, totalBytes } =
    file === STDIN_FILE_NAME
      ? { stream: openStdin(host), totalBytes: undefined }
      : await openBytes(file, host.interrupt.stop);
  // The stream may fail before it is read, and an unhandled error event would end the process. Readers receive the error too.
  stream.on("error", () => {});
  try {
    const { text, isUtf8 } = await decodeFile(stream);
    const rowFile = format === "csv" ? await openCsvFile(text, columns) : openJsonlFile(text, columns);
    // `endByte` counts bytes of UTF-8, so progress cannot be measured against the size of a UTF-16 file.
    return { ...rowFile, totalBytes: isUtf8 ? totalBytes : undefined, close: () => void stream.destroy() };
  } catch (error) {
    stream.destroy();
    throw error instanceof UsageError
      ? new UsageError(`${file === STDIN_FILE_NAME ? "standard input" : file}: ${error.message}`, { cause: error })
      : error;
  }
}

/** Reports whether a file can be read twice. */
export async function isRegularFile(file: string): Promise<boolean> {
  return file !== STDIN_FILE_NAME && ((await stat(file).catch(() => undefined))?.isFile() ?? false);
}

async function openBytes(
  file: string,
  signal: AbortSignal,
): Promise<{ stream: Readable; totalBytes: number | undefined }> {
  try {
    if ((await stat(file)).isFIFO()) return { stream: openNamedPipe(file, signal), totalBytes: undefined };
    const handle = await open(file);
    const status = await handle.stat();
    if (status.isDirectory()) {
      await handle.close();
      throw new UsageError("is a directory");
    }
    return { stream: handle.createReadStream({ signal }), totalBytes: status.isFile() ? status.size : undefined };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${formatFileError(error)}`, { cause: error });
  }
}
