const DAY_MS = 86_400_000;

const HOUR_MS = 3_600_000;

/** The time zone of the shop. Its business hours are within one day in UTC, for which visits are counted. */
export const TIME_ZONE = "America/Los_Angeles";

const OPENS = 9;

/** Hours that the shop is open each day. */
export const OPEN_HOURS = 6.5;

/** Returns the Monday of the last week that is over, at midnight in UTC. */
export function findLastMonday(now: Date): Date {
  const daysSinceMonday = (now.getUTCDay() + 6) % 7;
  return new Date(Math.floor(now.getTime() / DAY_MS - daysSinceMonday - 7) * DAY_MS);
}

/** Returns a time on a day of the week that begins on a Monday, so many hours after the shop opens. */
export function atTheShop(monday: Date, day: number, hoursAfterOpening: number): Date {
  const noon = new Date(monday.getTime() + day * DAY_MS + 20 * HOUR_MS);
  // Noon in winter, and one o'clock in summer.
  const hour = Number(noon.toLocaleString("en-US", { timeZone: TIME_ZONE, hour: "numeric", hourCycle: "h23" }));
  return new Date(noon.getTime() + (OPENS - hour + hoursAfterOpening) * HOUR_MS);
}
