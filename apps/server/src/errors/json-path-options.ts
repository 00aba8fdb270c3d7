import type { TranscoderOptions } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import { ERROR_DOMAIN } from "./domain-error.js";

/** How the JSON paths read and write messages. */
export const PATH_JSON = {
  strictTypes: true,
  fieldNames: "proto",
  unset: "null",
  enums: "lower",
  int64: "number",
  timestampDigits: 3,
} as const;

/** How the JSON paths read and write: what serves them and what describes them have it in common. */
export function jsonPathOptions({ basePath }: Pick<Config, "basePath">) {
  return {
    basePath,
    // Both spellings are documented in public.
    pathAliases: { "/dni-manager": "/dni_manager" },
    json: PATH_JSON,
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
