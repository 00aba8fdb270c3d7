/** A timestamp of the service: RFC 3339 in UTC, to the millisecond, of which ProtoJSON leaves three zeros out. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

/** Whether one timestamp is later than another. Their texts do not compare so, as one may have a fraction and one not. */
export function isLater(timestamp: string, than: string): boolean {
  return Date.parse(timestamp) > Date.parse(than);
}
