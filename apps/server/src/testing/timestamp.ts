/** The format of the service's timestamps: RFC 3339 in UTC, with milliseconds. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function isLaterTimestamp(timestamp: string, than: string): boolean {
  return Date.parse(timestamp) > Date.parse(than);
}
