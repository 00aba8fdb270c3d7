const DAY_MS = 86_400_000;

const HOUR_MS = 3_600_000;

/** The time zone of the shop. Its business hours are within one UTC day, because visits count for UTC days. */
export const TIME_ZONE = "America/Los_Angeles";

const OPENS = 9;

export const OPEN_HOURS = 6.5;

/** Returns the Monday of the last complete week, at midnight UTC. */
export function findLastMonday(now: Date): Date {
  const daysSinceMonday = (now.getUTCDay() + 6) % 7;
  return new Date(Math.floor(now.getTime() / DAY_MS - daysSinceMonday - 7) * DAY_MS);
}

/** Returns the time on day 0 to 6 of the week that is `hoursAfterOpening` after the shop opens. */
export function shopTime(monday: Date, day: number, hoursAfterOpening: number): Date {
  const noon = new Date(monday.getTime() + day * DAY_MS + 20 * HOUR_MS);
  // 12:00 in winter and 13:00 in summer.
  const hour = Number(noon.toLocaleString("en-US", { timeZone: TIME_ZONE, hour: "numeric", hourCycle: "h23" }));
  return new Date(noon.getTime() + (OPENS - hour + hoursAfterOpening) * HOUR_MS);
}
