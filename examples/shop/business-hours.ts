const DAY_MS = 86_400_000;

const HOUR_MS = 3_600_000;

/** The time zone of the shop. The shop's business hours are within one UTC day, because Calltrack counts visits per UTC day. */
export const SHOP_TIME_ZONE = "America/Los_Angeles";

const OPENS = 9;

export const HOURS_OPEN_PER_DAY = 6.5;

/** Returns the Monday of the last complete week, at midnight UTC. */
export function findLastMonday(now: Date): Date {
  const daysSinceMonday = (now.getUTCDay() + 6) % 7;
  return new Date(Math.floor(now.getTime() / DAY_MS - daysSinceMonday - 7) * DAY_MS);
}

/** Returns the time that is `hoursAfterOpening` hours after the shop opens on a day of the week, from 0 (Monday) to 6. */
export function computeShopTime(monday: Date, day: number, hoursAfterOpening: number): Date {
  const noon = new Date(monday.getTime() + day * DAY_MS + 20 * HOUR_MS);
  // The shop's local hour at 20:00 UTC: 12 in winter and 13 in summer.
  const hour = Number(noon.toLocaleString("en-US", { timeZone: SHOP_TIME_ZONE, hour: "numeric", hourCycle: "h23" }));
  return new Date(noon.getTime() + (OPENS - hour + hoursAfterOpening) * HOUR_MS);
}
