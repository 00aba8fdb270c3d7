import { createHash, type Hash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MIGRATIONS } from "../migrate.js";
import {
  type DumpEnd,
  DumpError,
  type DumpHeader,
  type DumpPart,
  type DumpRows,
  type DumpSequences,
  type DumpTable,
  damaged,
  FORMAT_VERSION,
  parseLine,
} from "./dump-format.js";

/** Batches of rows have about so many characters: enough that their number does not matter, and few enough to be held. */
const BATCH_CHARACTERS = 512 * 1024;

/** More than any row has. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

const NO_DUMP = "The file is not a Calltrack dump: restore a file written by calltrack-server dump.";

/** A dump that is being read. */
export interface OpenDump {
  readonly header: DumpHeader;
  /** Ends only if the dump was complete and unchanged, else throws a DumpError; what was read before is not to be kept then. */
  readonly parts: AsyncGenerator<DumpPart, void, undefined>;
}

/**
 * Reads the header of a dump.
 *
 * @throws DumpError if it is no dump, or one that this release cannot restore; the stream's error if it cannot be read.
 */
export async function openDump(input: Readable): Promise<OpenDump> {
  const lines = readLines(input);
  const first = await lines.next();
  if (first.done) throw damaged("it is empty");
  return { header: checkHeader(parseLine(first.value)), parts: readParts(lines) };
}

function checkHeader(header: Partial<DumpHeader>): DumpHeader {
  const { calltrack_dump: version, schema = "", release = "unknown" } = header;
  if (typeof version !== "number") throw new DumpError(NO_DUMP);
  if (version > FORMAT_VERSION || !MIGRATIONS.includes(schema)) {
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
      if (table === undefined) throw damaged("a row belongs to no table");
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
  throw damaged("its end is missing");
}

async function checkEnd(
  end: DumpEnd["end"],
  counts: Readonly<Record<string, number>>,
  hash: Hash,
  lines: AsyncGenerator<string>,
): Promise<void> {
  if (end.sha256 !== hash.digest("hex")) throw damaged("its checksum is wrong");
  if (JSON.stringify(end.rows) !== JSON.stringify(counts)) throw damaged("rows are missing");
  // Also reads the checksum of the compressed data.
  if (!(await lines.next()).done) throw damaged("it has data after its end");
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  // Errors of either stream come out of the iteration.
  const text = pipeline(input, createGunzip({ chunkSize: 256 * 1024 }), () => {}).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of text) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARACTERS) throw damaged("a line is too long");
      yield* lines;
    }
  } catch (error) {
    if (!isCompressionError(error)) throw error;
    throw error.message === "incorrect header check" ? new DumpError(NO_DUMP) : damaged(error.message);
  }
  if (rest !== "") throw damaged("its last line is cut off");
}

function isCompressionError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith("Z_");
}
