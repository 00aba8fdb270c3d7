import { MS_BY_TIME_UNIT } from "./setting-formats.js";

/** Allows `quota` requests per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** Parses a rate limit such as `100/s`; undefined if the text is malformed. */
export function parseRateLimit(text: string): RateLimit | undefined {
  const [, quota = "", unit = ""] = /^(\d{1,9})\/([smh])$/.exec(text) ?? [];
  const windowMs = MS_BY_TIME_UNIT.get(unit);
  return Number(quota) >= 1 && windowMs !== undefined ? { quota: Number(quota), windowMs } : undefined;
}
