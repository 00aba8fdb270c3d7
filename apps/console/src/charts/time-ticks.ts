const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Possible distances between two adjacent marks of a time axis, in ascending order. */
const STEPS_MS = [60_000, 5 * 60_000, 15 * 60_000, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS].concat(
  [1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY_MS),
);

/** Converts times to local times and back, in milliseconds since 1970. A local time is the UTC time with the same date and time of day. */
interface Zone {
  toLocal(time: number): number;
  fromLocal(local: number): number;
}

/** The zone for reports, because reports count calls and visits per UTC day. */
export const UTC_ZONE: Zone = { toLocal: (time) => time, fromLocal: (local) => local };

/** The browser's time zone, in which a day can have 23 or 25 hours. */
const BROWSER_ZONE: Zone = {
  toLocal: (time) => time - new Date(time).getTimezoneOffset() * 60_000,
  fromLocal(local) {
    const clock = new Date(local);
    const day = [clock.getUTCFullYear(), clock.getUTCMonth(), clock.getUTCDate()] as const;
    return new Date(...day, clock.getUTCHours(), clock.getUTCMinutes()).getTime();
  },
};

// Formats in UTC, because a local time is the UTC time that has the date and time of day of the local clock.
const dayText = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const hourText = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/**
 * Returns the marks of a time axis, at round times in the zone. The maximum number of marks is `room`, or two if `room` is less than two. Times are
 * in milliseconds since 1970.
 */
export function listTimeTicks(from: number, to: number, room: number, zone = BROWSER_ZONE) {
  const max = Math.max(2, Math.floor(room));
  const step = STEPS_MS.find((ms) => (to - from) / ms <= max) ?? (to - from) / max;
  const [first, last] = [Math.ceil(zone.toLocal(from) / step) * step, zone.toLocal(to)];
  const isByDay = step >= DAY_MS;
  const locals = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  return locals.flatMap((local) => {
    const at = zone.fromLocal(local);
    // A local hour that does not exist, because daylight saving time begins, has no mark.
    if (!isByDay && zone.toLocal(at) !== local) return [];
    return [{ at, text: (isByDay || local % DAY_MS === 0 ? dayText : hourText).format(local) }];
  });
}
