import { readFile, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type DescField, type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type CallFlowSettings, CallFlowSettingsSchema } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { CommandHost } from "../../process/command-host.js";
import { openNamedPipe } from "../../process/open-named-pipe.js";
import { readStdin } from "../../process/read-stdin.js";
import { UsageError } from "../../process/usage-error.js";
import { findEnumNumber } from "../../text/enum-name.js";
import { formatFileError } from "../../text/format-file-error.js";

/**
 * Reads the settings of a call flow from a file, or from stdin for `-`. The file contains the API's JSON: snake_case field names, short names
 * of enum values, and null for absent values.
 *
 * @throws UsageError if the file cannot be read or contains other JSON.
 */
export async function readCallFlowSettingsFile(host: CommandHost, file: string): Promise<CallFlowSettings> {
  try {
    const json: JsonValue = JSON.parse(withoutByteOrderMark(await readText(host, file)));
    return fromJson(CallFlowSettingsSchema, messageJson(CallFlowSettingsSchema, json));
  } catch (error) {
    throw new UsageError(`the settings in ${file} cannot be read: ${formatFileError(error)}`, { cause: error });
  }
}

async function readText(host: CommandHost, file: string): Promise<string> {
  if (file === "-") return readStdin(host);
  if ((await stat(file)).isFIFO()) return text(openNamedPipe(file, host.interrupt.stop));
  return readFile(file, "utf8");
}

/** Removes the mark that some editors write at the beginning of a file in UTF-8. */
function withoutByteOrderMark(json: string): string {
  return json.replace(/^\uFEFF/, "");
}

/** Converts the API's JSON of a message to ProtoJSON with numbers as enum values. Invalid values stay unchanged: `fromJson` rejects them. */
function messageJson(schema: DescMessage, json: JsonValue): JsonValue {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const fields = new Map(schema.fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const field = fields.get(name);
      return [name, field === undefined ? value : fieldJson(field, value)];
    }),
  );
}

function fieldJson(field: DescField, json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map((each) => fieldJson(field, each));
  if (field.message !== undefined) return messageJson(field.message, json);
  return field.enum !== undefined && typeof json === "string" ? (findEnumNumber(field.enum, json) ?? json) : json;
}
