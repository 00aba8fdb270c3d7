import { UsageError } from "../process/usage-error.js";
import { convertToPlainJsonValue, formatExactJsonValue, parseExactJson } from "../text/exact-json.js";
import { parseFieldJson } from "./field-value.js";
import { describeUnknownColumns, getReasonColumn, type RowColumns } from "./import-columns.js";
import { type ImportRow, MAX_ROW_LENGTH, type RowContent, type RowFile } from "./import-row.js";
import { readRowContent } from "./row-content.js";

/** Opens a file with one JSON object per line. Empty lines are skipped, and null values are absent. */
export function openJsonlFile(text: AsyncIterable<string>, columns: RowColumns): RowFile {
  return { rejectsHeader: "", rows: toRows(text, columns) };
}

async function* toRows(text: AsyncIterable<string>, columns: RowColumns): AsyncGenerator<ImportRow> {
  let line = 0;
  let endByte = 0;
  for await (const lineText of readLines(text)) {
    line += 1;
    endByte += Buffer.byteLength(lineText) + 1;
    if (lineText.trim() === "") continue;
    const object = parseObject(lineText);
    yield {
      line,
      endByte,
      content: contentOf(object, columns),
      toReject: (reason) => rejectLine(getReasonColumn(columns), reason, object, lineText),
    };
  }
}

/** Yields the lines of a text without line feeds. Throws UsageError if a line is too long. */
async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let [rest, count] = ["", 0];
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield check(line);
    if (rest.length > MAX_ROW_LENGTH) check(rest);
  }
  if (rest !== "") yield check(rest);

  function check(line: string): string {
    count += 1;
    if (line.length <= MAX_ROW_LENGTH) return line;
    throw new UsageError(
      `line ${count} is longer than ${MAX_ROW_LENGTH} characters: write each JSON object on its own line, without an array around the objects`,
    );
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseExactJson(text);
    return typeof value === "object" && !Array.isArray(value)
      ? ((value as Record<string, unknown>) ?? undefined)
      : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(object: Record<string, unknown> | undefined, columns: RowColumns): RowContent {
  if (object === undefined) return { kind: "unreadable", reason: "the line is not a JSON object" };
  if ("chooseHeader" in columns) return { kind: "fields", fields: Object.fromEntries(textsOf(object, "")) };
  const unknown = describeUnknownColumns(columns, Object.keys(object));
  if (unknown !== undefined) return { kind: "unreadable", reason: unknown };
  return readRowContent(columns, (name) => convertToPlainJsonValue(object[name]) ?? undefined, parseFieldJson);
}

/** Returns the names and values of an object as text. Values of nested objects get names such as `from.phoneNumber`. */
function textsOf(object: object, prefix: string): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    const text = formatExactJsonValue(value);
    if (text !== undefined) return [[`${prefix}${name}`, text]];
    return value === null ? [] : textsOf(value, `${prefix}${name}.`);
  });
}

/** Formats a rejected line. A line that is not an object is kept as text under `row`. */
function rejectLine(key: string, reason: string, object: Record<string, unknown> | undefined, text: string): string {
  return `${JSON.stringify({ ...(object ?? { row: text }), [key]: reason })}\n`;
}
