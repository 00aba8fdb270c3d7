import type { TranscoderOptions } from "@calltrack/transcoding";
import type { Config } from "./config.js";
import { ERROR_DOMAIN } from "./interceptors/domain-error.js";

/** How the JSON paths read and write: what serves them and what describes them have it in common. */
export function jsonPathOptions({ basePath, limits }: Pick<Config, "basePath"> & Partial<Pick<Config, "limits">>) {
  return {
    basePath,
    ...(limits && { readMaxBytes: limits.maxBodyBytes }),
    json: { strictTypes: true, fieldNames: "proto", unset: "null", enums: "lower" },
    errors: { shape: "aip193", domain: ERROR_DOMAIN },
  } as const satisfies Partial<TranscoderOptions>;
}
