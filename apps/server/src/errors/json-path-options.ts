import type { TranscoderOptions } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import { ERROR_DOMAIN } from "./wire-error.js";

/** How the JSON paths read and write messages. */
export const JSON_PATH_FORMAT = {
  strictTypes: true,
  fieldNames: "proto",
  unset: "null",
  enums: "lower",
  int64: "number",
  timestampDigits: 3,
} as const;

/** Returns the options of the JSON paths that the transcoder and the OpenAPI document share. */
export function jsonPathOptions({ basePath }: Pick<Config, "basePath">) {
  return {
    basePath,
    // The public documentation uses both spellings.
    pathAliases: { "/dni-manager": "/dni_manager" },
    json: JSON_PATH_FORMAT,
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
