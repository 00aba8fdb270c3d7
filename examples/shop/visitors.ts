export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** How many visitors come from a source, and how many of them call. */
interface Visitors {
  /** The number of visits on each day of the week. */
  readonly visits: readonly number[];
  /** The number of visits per visitor who calls. */
  readonly visitsPerCall: number;
}

const VISITORS: Readonly<Record<string, Visitors>> = {
  // A campaign that runs every day.
  "google / cpc": { visits: [120, 110, 130, 120, 110, 90, 80], visitsPerCall: 21 },
  "google / organic": { visits: [95, 90, 85, 90, 100, 140, 130], visitsPerCall: 29 },
  // An old link with declining visits.
  "bike-blog.example / referral": { visits: [140, 120, 60, 40, 20, 10, 5], visitsPerCall: 47 },
  // A newsletter sent on Wednesday.
  "newsletter / email": { visits: [10, 20, 260, 180, 60, 20, 10], visitsPerCall: 24 },
  // A picture widely shared on the weekend.
  "instagram / social": { visits: [5, 5, 10, 15, 40, 420, 390], visitsPerCall: 62 },
  "facebook / cpc": { visits: [60, 65, 60, 55, 70, 85, 75], visitsPerCall: 33 },
  "bing / organic": { visits: [24, 22, 19, 21, 20, 15, 12], visitsPerCall: 20 },
  "chatgpt.com / ai-assistant": { visits: [12, 15, 14, 18, 20, 25, 28], visitsPerCall: 12 },
};

/** Returns how many visitors from a source, such as `google / cpc`, call on a day. */
export function countCallers(day: number, name: string): number {
  const { visits, visitsPerCall } = VISITORS[name] ?? { visits: [], visitsPerCall: 1 };
  return Math.round((visits[day] ?? 0) / visitsPerCall);
}

/** Returns the visits of a day in the format of RecordVisits. The event ids are constant, so a repeated request counts once. */
export function createVisits(day: number, property_token: string): readonly object[] {
  return Object.entries(VISITORS).map(([name, { visits }]) => {
    const [source, medium] = name.split(" / ");
    return { event_id: `${WEEKDAYS[day]} ${name}`, property_token, source, medium, count: visits[day] };
  });
}
