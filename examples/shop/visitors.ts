/** The days of the simulated week. */
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** The number of visitors of each source on each day. */
const VISITS: Readonly<Record<string, readonly number[]>> = {
  // A campaign that runs every day.
  "google / cpc": [120, 110, 130, 120, 110, 90, 80],
  // An old link with declining visits.
  "bike-blog.example / referral": [140, 120, 60, 40, 20, 10, 5],
  // A newsletter sent on Wednesday.
  "newsletter / email": [10, 20, 260, 180, 60, 20, 10],
  // A picture shared widely at the weekend.
  "instagram / social": [5, 5, 10, 15, 40, 420, 390],
};

/** The number of visitors of a source, such as `google / cpc`, on a day. */
export function visitCount(day: number, name: string): number {
  return VISITS[name]?.[day] ?? 0;
}

/** Returns the visits of a day as records for RecordVisits. Event ids are constant, so repeated requests count once. */
export function visitsOf(day: number, property_token: string): readonly object[] {
  return Object.entries(VISITS).map(([name, counts]) => {
    const [source, medium] = name.split(" / ");
    return { event_id: `${DAYS[day]} ${name}`, property_token, source, medium, count: counts[day] };
  });
}
