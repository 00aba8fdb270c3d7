import { createHash, type Hash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MIGRATION_NAMES } from "../migrate.js";
import {
  type DumpEnd,
  DumpError,
  type DumpHeader,
  type DumpPart,
  type DumpRows,
  type DumpSequences,
  type DumpTable,
  damagedDumpError,
  FORMAT_VERSION,
  parseLine,
} from "./dump-format.js";

/** Approximate size of a batch of rows: large enough to need few statements, small enough to fit in memory. */
const BATCH_CHARACTERS = 512 * 1024;

/** Longer than any valid line. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

const NO_DUMP = "The file is not a Calltrack dump: restore a file written by calltrack-server dump.";

/** A dump whose header has been read. */
export interface OpenDump {
  readonly header: DumpHeader;
  /** Throws a DumpError at the end if the dump is incomplete or was changed. Then all parts must be discarded. */
  readonly parts: AsyncGenerator<DumpPart, void, undefined>;
}

/**
 * Reads the header of a dump.
 *
 * @throws DumpError if the input is not a dump or this release cannot restore it; the stream's error if it cannot be read.
 */
export async function openDump(input: Readable): Promise<OpenDump> {
  const lines = readLines(input);
  const first = await lines.next();
  if (first.done) throw damagedDumpError("it is empty");
  return { header: checkHeader(parseLine(first.value)), parts: readParts(lines) };
}

function checkHeader(header: Partial<DumpHeader>): DumpHeader {
  const { calltrack_dump: version, schema = "", release = "unknown" } = header;
  if (typeof version !== "number") throw new DumpError(NO_DUMP);
  if (version > FORMAT_VERSION || !MIGRATION_NAMES.includes(schema)) {
    throw new DumpError(
      `The dump is newer than this release: release ${release} made it, with the schema ${schema}. Restore it with that release or a newer one.`,
    );
  }
  return header as DumpHeader;
}

async function* readParts(lines: AsyncGenerator<string>): AsyncGenerator<DumpPart, void, undefined> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let table: string | undefined;
  let batch: string[] = [];
  let characters = 0;
  const takeBatch = (): DumpRows => {
    const rows = { rows: `[${batch.join(",")}]`, count: batch.length };
    [batch, characters] = [[], 0];
    return rows;
  };
  for await (const line of lines) {
    if (line.startsWith("[")) {
      if (table === undefined) throw damagedDumpError("a row belongs to no table");
      hash.update(`${line}\n`);
      counts[table] = (counts[table] ?? 0) + 1;
      batch.push(line);
      characters += line.length;
      if (characters >= BATCH_CHARACTERS) yield takeBatch();
      continue;
    }
    if (batch.length > 0) yield takeBatch();
    const part = parseLine(line);
    if (part.end !== undefined) return await checkEnd(part.end, counts, hash, lines);
    hash.update(`${line}\n`);
    table = part.table;
    if (table !== undefined) counts[table] = 0;
    yield part as DumpTable | DumpSequences;
  }
  throw damagedDumpError("its end is missing");
}

async function checkEnd(
  end: DumpEnd["end"],
  counts: Readonly<Record<string, number>>,
  hash: Hash,
  lines: AsyncGenerator<string>,
): Promise<void> {
  if (end.sha256 !== hash.digest("hex")) throw damagedDumpError("its checksum is wrong");
  if (JSON.stringify(end.rows) !== JSON.stringify(counts)) throw damagedDumpError("rows are missing");
  // Reading on also verifies the checksum of the compressed data.
  if (!(await lines.next()).done) throw damagedDumpError("it has data after its end");
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  // The iteration throws the errors of both streams.
  const text = pipeline(input, createGunzip({ chunkSize: 256 * 1024 }), () => {}).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of text) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARACTERS) throw damagedDumpError("a line is too long");
      yield* lines;
    }
  } catch (error) {
    if (!isCompressionError(error)) throw error;
    throw error.message === "incorrect header check" ? new DumpError(NO_DUMP) : damagedDumpError(error.message);
  }
  if (rest !== "") throw damagedDumpError("its last line is cut off");
}

function isCompressionError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith("Z_");
}
