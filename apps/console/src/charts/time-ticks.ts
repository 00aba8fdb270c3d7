const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Possible distances between the marks of a time axis. */
const STEPS_MS = [60_000, 5 * 60_000, 15 * 60_000, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS].concat(
  [1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY_MS),
);

/** A time zone. A local time is a number of milliseconds too: the time at which a clock in UTC shows the same reading. */
interface Zone {
  toLocal(time: number): number;
  fromLocal(local: number): number;
}

/** For reports, whose days are UTC days. */
export const UTC: Zone = { toLocal: (time) => time, fromLocal: (local) => local };

/** The browser's time zone, in which a day can have 23 or 25 hours. */
const READERS: Zone = {
  toLocal: (time) => time - new Date(time).getTimezoneOffset() * 60_000,
  fromLocal(local) {
    const clock = new Date(local);
    const day = [clock.getUTCFullYear(), clock.getUTCMonth(), clock.getUTCDate()] as const;
    return new Date(...day, clock.getUTCHours(), clock.getUTCMinutes()).getTime();
  },
};

// These formats get local times as numbers, so they use UTC.
const dayText = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const hourText = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** Returns marks at round times in the zone: at most `room`, or two if `room` is less. Times are in milliseconds since 1970. */
export function timeTicks(from: number, to: number, room: number, zone = READERS) {
  const max = Math.max(2, Math.floor(room));
  const step = STEPS_MS.find((ms) => (to - from) / ms <= max) ?? (to - from) / max;
  const [first, last] = [Math.ceil(zone.toLocal(from) / step) * step, zone.toLocal(to)];
  const isByDay = step >= DAY_MS;
  const locals = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  return locals.flatMap((local) => {
    const at = zone.fromLocal(local);
    // An hour that the clocks skip has no mark.
    if (!isByDay && zone.toLocal(at) !== local) return [];
    return [{ at, text: (isByDay || local % DAY_MS === 0 ? dayText : hourText).format(local) }];
  });
}
