import { createHash, type Hash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MIGRATION_NAMES } from "../migrate.js";
import {
  createDamagedDumpError,
  DUMP_FORMAT_VERSION,
  type DumpEndLine,
  DumpError,
  type DumpHeaderLine,
  type DumpPart,
  type DumpRowBatch,
  type DumpSequencesLine,
  type DumpTableLine,
  parseDumpLine,
} from "./dump-format.js";

/** The approximate size of a batch of rows: large enough for few statements, and small enough to fit in memory. */
const BATCH_CHARACTERS = 512 * 1024;

/** A longer line cannot be valid. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

const NO_DUMP = "The file is not a Calltrack dump: restore a file written by calltrack-server dump.";

/** A dump whose header has been read. */
export interface OpenedDump {
  readonly header: DumpHeaderLine;
  /** Throws a DumpError after the last part if the dump is incomplete or was changed. All parts must then be discarded. */
  readonly parts: AsyncGenerator<DumpPart, void, undefined>;
}

/**
 * Reads the first line of a dump, and returns its other parts as a generator.
 *
 * @throws DumpError if the input is not a dump, or if this release cannot restore it; the error of the stream if it cannot be read.
 */
export async function openDump(input: Readable): Promise<OpenedDump> {
  const lines = readLines(input);
  const first = await lines.next();
  if (first.done) throw createDamagedDumpError("it is empty");
  return { header: checkHeader(parseDumpLine(first.value)), parts: readParts(lines) };
}

function checkHeader(header: Partial<DumpHeaderLine>): DumpHeaderLine {
  const { calltrack_dump: version, schema = "", release = "unknown" } = header;
  if (typeof version !== "number") throw new DumpError(NO_DUMP);
  if (version > DUMP_FORMAT_VERSION || !MIGRATION_NAMES.includes(schema)) {
    throw new DumpError(
      `The dump is newer than this release: release ${release} made it, with the schema ${schema}. Restore the dump with that release or a newer release.`,
    );
  }
  return header as DumpHeaderLine;
}

async function* readParts(lines: AsyncGenerator<string>): AsyncGenerator<DumpPart, void, undefined> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let table: string | undefined;
  let batch: string[] = [];
  let characters = 0;
  const takeBatch = (): DumpRowBatch => {
    const rows = { rows: `[${batch.join(",")}]`, count: batch.length };
    [batch, characters] = [[], 0];
    return rows;
  };
  for await (const line of lines) {
    if (line.startsWith("[")) {
      if (table === undefined) throw createDamagedDumpError("its first row precedes all tables");
      hash.update(`${line}\n`);
      counts[table] = (counts[table] ?? 0) + 1;
      batch.push(line);
      characters += line.length;
      if (characters >= BATCH_CHARACTERS) yield takeBatch();
      continue;
    }
    if (batch.length > 0) yield takeBatch();
    const part = parseDumpLine(line);
    if (part.end !== undefined) return await checkEnd(part.end, counts, hash, lines);
    hash.update(`${line}\n`);
    table = part.table;
    if (table !== undefined) counts[table] = 0;
    yield part as DumpTableLine | DumpSequencesLine;
  }
  throw createDamagedDumpError("its last line is missing");
}

async function checkEnd(
  end: DumpEndLine["end"],
  counts: Readonly<Record<string, number>>,
  hash: Hash,
  lines: AsyncGenerator<string>,
): Promise<void> {
  if (end.sha256 !== hash.digest("hex")) throw createDamagedDumpError("its content does not match its checksum");
  if (JSON.stringify(end.rows) !== JSON.stringify(counts))
    throw createDamagedDumpError("its number of rows is not the number in its last line");
  // Reading to the end of the stream also verifies the checksum of the compressed data.
  if (!(await lines.next()).done) throw createDamagedDumpError("it contains data after its last line");
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  // The callback does nothing, because the iteration throws the errors of both streams.
  const text = pipeline(input, createGunzip({ chunkSize: 256 * 1024 }), () => {}).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of text) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARACTERS) throw createDamagedDumpError("a line is too long");
      yield* lines;
    }
  } catch (error) {
    if (!isCompressionError(error)) throw error;
    throw error.message === "incorrect header check" ? new DumpError(NO_DUMP) : createDamagedDumpError(error.message);
  }
  if (rest !== "") throw createDamagedDumpError("its last line is cut off");
}

function isCompressionError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith("Z_");
}
