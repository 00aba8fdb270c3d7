import type { TranscoderOptions } from "@calltrack/transcoding";
import { ERROR_DOMAIN } from "./interceptors/domain-error.js";

/** The most bytes of a request message, over every protocol. */
export const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

/** How the JSON paths read and write: what serves them and what describes them have it in common. */
export function jsonPathOptions(basePath: string) {
  return {
    basePath,
    readMaxBytes: MOST_MESSAGE_BYTES,
    json: { strictTypes: true, fieldNames: "proto", unset: "null", enums: "lower" },
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
