import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { dateOf, relativeText, timeText, utcText } from "../format/time-text";

interface TimeProps {
  readonly value: Timestamp | Date | undefined;
  /** Text for an absent time. */
  readonly none?: string;
  /** Whether to show the distance from now as well. */
  readonly relative?: boolean;
}

/** A time in the reader's zone, with UTC on hover. */
export function Time({ value, none = "–", relative = false }: TimeProps) {
  const time = value instanceof Date ? value : dateOf(value);
  if (time === undefined) return <>{none}</>;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {timeText(time)}
      {relative && <span class="muted"> ({relativeText(time)})</span>}
    </time>
  );
}
