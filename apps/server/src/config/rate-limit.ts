import { UNITS_MS } from "./setting-formats.js";

/** A rate limit: `quota` requests per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** Parses a rate limit such as `100/s`; undefined if the text is malformed. */
export function parseRate(text: string): RateLimit | undefined {
  const [, quota = "", unit = ""] = /^(\d{1,9})\/([smh])$/.exec(text) ?? [];
  const windowMs = UNITS_MS.get(unit);
  return Number(quota) >= 1 && windowMs !== undefined ? { quota: Number(quota), windowMs } : undefined;
}
