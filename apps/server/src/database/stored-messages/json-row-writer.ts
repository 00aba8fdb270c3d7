import { getOption } from "@bufbuild/protobuf";
import { header } from "@calltrack/domain/gen/transcoding/v1/http_pb";
import { readTimeMs } from "@calltrack/postgres";
import type { RowWriter, ValueWriter } from "./row-writer.js";
import { describeNull, hasPresence, readEtag, type StoredField } from "./stored-field.js";

const OPENING_BRACE = 0x7b;

/**
 * Creates a writer of rows as the JSON objects of their messages. They are the same as those of `createMessageEncoder` with `PATH_JSON`, without the
 * fields that travel as headers.
 */
export function createJsonRowWriter(fields: readonly StoredField[]): RowWriter {
  const members = fields.filter(({ desc }) => getOption(desc, header) === "").map(createMemberWriter);
  return (row, out) => {
    const start = out.length;
    for (const write of members) write(row, out);
    // Every member begins with a comma, also the first.
    out.replace(start, OPENING_BRACE);
    out.ascii("}");
  };
}

function createMemberWriter(field: StoredField): RowWriter {
  const { desc, column } = field;
  const name = Buffer.from(`,${JSON.stringify(desc.name)}:`);
  if (column === undefined) {
    return ({ accountToken }, out) => {
      out.copy(name, 0, name.length);
      out.jsonString(accountToken, 0, accountToken.length);
    };
  }
  const write = createValueWriter(field);
  const isOptional = hasPresence(desc);
  return ({ bytes, ranges }, out) => {
    const start = ranges[column * 2] as number;
    out.copy(name, 0, name.length);
    if (start >= 0) write(bytes, start, ranges[column * 2 + 1] as number, out);
    else if (isOptional) out.ascii("null");
    else throw describeNull(desc);
  };
}

function createValueWriter({ type }: StoredField): ValueWriter {
  switch (type) {
    case "text":
      return (bytes, start, end, out) => out.jsonString(bytes, start, end);
    case "boolean":
      return (bytes, start, _, out) => out.ascii(bytes[start] === 1 ? "true" : "false");
    case "integer":
      return (bytes, start, _, out) => out.ascii(`${bytes.readInt32BE(start)}`);
    case "double":
      return (bytes, start, _, out) => out.ascii(printDouble(bytes.readDoubleBE(start)));
    case "time":
      return (bytes, start, _, out) => out.jsonTime(readTimeMs(bytes, start));
    case "etag":
      return (bytes, start, _, out) => out.ascii(JSON.stringify(readEtag(bytes, start)));
  }
}

function printDouble(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? "-0" : `${value}`;
}
