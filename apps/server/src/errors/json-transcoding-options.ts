import type { TranscoderOptions } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import { ERROR_DOMAIN } from "./wire-error.js";

/** How requests and responses of the JSON API represent proto messages. */
export const JSON_MESSAGE_FORMAT = {
  strictTypes: true,
  fieldNames: "proto",
  unset: "null",
  enums: "lower",
  int64: "number",
  timestampDigits: 3,
} as const;

/** Creates the options that the transcoder and the OpenAPI document of the JSON API share. */
export function createJsonTranscodingOptions({ basePath }: Pick<Config, "basePath">) {
  return {
    basePath,
    // The published documentation of the API uses both spellings.
    pathAliases: { "/dni-manager": "/dni_manager" },
    json: JSON_MESSAGE_FORMAT,
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
