import { getOption } from "@bufbuild/protobuf";
import { header } from "@calltrack/domain/gen/transcoding/v1/http_pb";
import { readTimeMs } from "@calltrack/postgres";
import { formatEtag } from "../etag.js";
import { toWords, writeAscii, writeWords } from "./bytes.js";
import { writeJsonNumber, writeJsonString, writeJsonTime } from "./json-values.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { checkNull, type StoredField } from "./stored-field.js";

const CLOSING_BRACE = 0x7d;
const TRUE = toWords("true");
const FALSE = toWords("false");
const NULL = toWords("null");

/**
 * Creates a writer of rows as the JSON objects of their messages. They are the same as those of `createMessageEncoder` with `PATH_JSON`, without the
 * fields that travel as headers.
 */
export function createJsonRowWriter(fields: readonly StoredField[]): RowWriter {
  const members = fields
    .filter(({ desc }) => getOption(desc, header) === "")
    .map((field, index) => ({ field, name: toWords(`${index === 0 ? "{" : ","}"${field.desc.name}":`) }));
  return (row, out, place) => {
    let next = place;
    for (const { field, name } of members) {
      next = writeValue(field, row, out, writeWords(name, out, next));
    }
    out.setUint8(next, CLOSING_BRACE);
    return next + 1;
  };
}

function writeValue(field: StoredField, row: CurrentRow, out: DataView, place: number): number {
  const { view, ranges, accountToken } = row;
  const { column, type } = field;
  if (column === undefined) return writeJsonString(accountToken, 0, accountToken.byteLength, out, place);
  const start = ranges[column * 2] as number;
  const end = ranges[column * 2 + 1] as number;
  if (start < 0) {
    checkNull(field);
    return writeWords(NULL, out, place);
  }
  switch (type) {
    case "text":
    case "enum":
      return writeJsonString(view, start, end, out, place);
    case "boolean":
      return writeWords(view.getUint8(start) === 1 ? TRUE : FALSE, out, place);
    case "integer":
      return writeAscii(`${view.getInt32(start)}`, out, place);
    case "double":
      return writeJsonNumber(view.getFloat64(start), out, place);
    case "time":
      return writeJsonTime(readTimeMs(view, start), out, place);
    case "etag":
      return writeAscii(JSON.stringify(formatEtag(new Date(readTimeMs(view, start)))), out, place);
  }
}
