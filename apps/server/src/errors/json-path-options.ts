import type { TranscoderOptions } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import { ERROR_DOMAIN } from "./wire-error.js";

/** How the JSON paths read and write messages. */
export const PATH_JSON = {
  strictTypes: true,
  fieldNames: "proto",
  unset: "null",
  enums: "lower",
  int64: "number",
  timestampDigits: 3,
} as const;

/** Options of the JSON paths, shared by the transcoder and the OpenAPI document. */
export function jsonPathOptions({ basePath }: Pick<Config, "basePath">) {
  return {
    basePath,
    // The public documentation has both spellings.
    pathAliases: { "/dni-manager": "/dni_manager" },
    json: PATH_JSON,
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
