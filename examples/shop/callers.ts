import { visitCount } from "./visitors.ts";

/** One in so many visitors calls. */
const VISITORS_PER_CALL = 40;

/** A source with its number; part of the response of ExplainPool. */
interface Source {
  readonly source: string;
  readonly medium: string;
  readonly tracking_number: string | null;
}

/** The calls of a day. */
export interface DayCalls {
  /** Records for BatchCreateCalls. Call ids are constant, so repeated requests record a call once. */
  readonly records: readonly object[];
  /** The number of calls by source, such as `google / cpc`. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Returns the calls of visitors who saw the number of their source. Every third call stays unanswered. */
export function callsOf(day: number, sources: readonly Source[], now: string): DayCalls {
  const counts = new Map<string, number>();
  const records = sources.flatMap(({ source, medium, tracking_number }) => {
    const name = `${source} / ${medium}`;
    const count = tracking_number === null ? 0 : Math.floor(visitCount(day, name) / VISITORS_PER_CALL);
    counts.set(name, count);
    return Array.from({ length: count }, (_, index) => ({
      call_id: `${day} ${name} ${index}`.replaceAll(" ", "-"),
      tracking_number,
      caller_number: `+1415555${2000 + day * 100 + index}`,
      started_at: now,
      answered_at: index % 3 === 2 ? null : after(now, 8),
      ended_at: after(now, index % 3 === 2 ? 20 : 60 + 10 * index),
    }));
  });
  return { records, counts };
}

function after(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1000).toISOString();
}
