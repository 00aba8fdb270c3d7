import { getOption } from "@bufbuild/protobuf";
import { header } from "@calltrack/domain/gen/transcoding/v1/http_pb";
import { readTimeMs } from "@calltrack/postgres";
import { toWords, writeAscii, writeWords } from "./bytes.js";
import { writeJsonNumber, writeJsonString, writeJsonTime } from "./json-values.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { checkNull, readEtag, type StoredField } from "./stored-field.js";

const CLOSING_BRACE = 0x7d;

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
      next = writeValue(field, row, out.bytes, writeWords(name, out.view, next));
    }
    out.bytes[next] = CLOSING_BRACE;
    return next + 1;
  };
}

function writeValue(field: StoredField, row: CurrentRow, out: Buffer, place: number): number {
  const { bytes, ranges, accountToken } = row;
  const { column, type } = field;
  if (column === undefined) return writeJsonString(accountToken, 0, accountToken.length, out, place);
  const start = ranges[column * 2] as number;
  const end = ranges[column * 2 + 1] as number;
  if (start < 0) {
    checkNull(field);
    return writeAscii("null", out, place);
  }
  switch (type) {
    case "text":
    case "enum":
      return writeJsonString(bytes, start, end, out, place);
    case "boolean":
      return writeAscii(bytes[start] === 1 ? "true" : "false", out, place);
    case "integer":
      return writeAscii(`${bytes.readInt32BE(start)}`, out, place);
    case "double":
      return writeJsonNumber(bytes.readDoubleBE(start), out, place);
    case "time":
      return writeJsonTime(readTimeMs(bytes, start), out, place);
    case "etag":
      return writeAscii(JSON.stringify(readEtag(bytes, start)), out, place);
  }
}
