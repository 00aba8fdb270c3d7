import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { dateOf, timeText, utcText } from "../format/time-text";

interface TimeProps {
  readonly value: Timestamp | Date | undefined;
  /** Shown if the time is undefined. */
  readonly none?: string;
}

/** A time in the browser's time zone. Pointing at it shows the time in UTC. */
export function Time({ value, none = "–" }: TimeProps) {
  const time = value instanceof Date ? value : dateOf(value);
  if (time === undefined) return <>{none}</>;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {timeText(time)}
    </time>
  );
}
