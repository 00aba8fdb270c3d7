import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { formatTime, formatUtcTime, timestampToDate } from "../format/time-text";

interface TimeProps {
  readonly value: Timestamp | Date | undefined;
  /** Shown if the time is undefined. */
  readonly none?: string;
}

/** A time in the browser's time zone. Pointing at it shows the time in UTC. */
export function LocalTime({ value, none = "–" }: TimeProps) {
  const time = value instanceof Date ? value : timestampToDate(value);
  if (time === undefined) return <>{none}</>;
  return (
    <time dateTime={time.toISOString()} title={formatUtcTime(time)}>
      {formatTime(time)}
    </time>
  );
}
