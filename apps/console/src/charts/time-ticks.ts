const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Distances between the marks of a time axis. */
const STEPS_MS = [60_000, 5 * 60_000, 15 * 60_000, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS].concat(
  [1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY_MS),
);

const dayText = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const hourText = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Returns at most `room` marks between two times, but at least two, at round times of the reader's zone. */
export function timeTicks(from: number, to: number, room: number) {
  const max = Math.max(2, Math.floor(room));
  const step = STEPS_MS.find((ms) => (to - from) / ms <= max) ?? (to - from) / max;
  const zoneMs = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - zoneMs) / step) * step + zoneMs;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => {
    const time = new Date(first + index * step);
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
    return { at: time.getTime(), text: (step >= DAY_MS || isMidnight ? dayText : hourText).format(time) };
  });
}
