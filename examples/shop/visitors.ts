/** The days of the week that passes. */
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** How many visitors each source brings on each of the days. */
const VISITS: Readonly<Record<string, readonly number[]>> = {
  // Paid for, day after day.
  "google / cpc": [120, 110, 130, 120, 110, 90, 80],
  // An old link that people follow less and less.
  "bike-blog.example / referral": [140, 120, 60, 40, 20, 10, 5],
  // Sent out on Wednesday.
  "newsletter / email": [10, 20, 260, 180, 60, 20, 10],
  // A picture that everybody shares at the weekend.
  "instagram / social": [5, 5, 10, 15, 40, 420, 390],
};

/** The visits of a day as RecordVisits takes them. The event ids are the same at each call: sent again, they count once. */
export function visitsOf(day: number, property_token: string): readonly object[] {
  return Object.entries(VISITS).map(([name, counts]) => {
    const [source, medium] = name.split(" / ");
    return { event_id: `${DAYS[day]} ${name}`, property_token, source, medium, count: counts[day] };
  });
}
