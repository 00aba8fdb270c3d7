import { formatCount } from "../../format/number-text";

interface VisitsBarProps {
  readonly visits: number;
  /** The number of visits at which the bar is full. */
  readonly most: number;
  /** The number of visits that a source needs for a tracking number; undefined if no source can be served. */
  readonly needed: number | undefined;
}

export function VisitsBar({ visits, most, needed }: VisitsBarProps) {
  return (
    <span class="visits">
      <span>{formatCount(visits)}</span>
      <svg class="visits-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-track" width="100" height="10" />
        <rect
          class={needed !== undefined && visits >= needed ? "bar" : "bar bar-low"}
          width={(100 * visits) / most}
          height="10"
        />
        {needed !== undefined && (
          <rect class="bar-mark" x={Math.min((100 * needed) / most, 98.5)} width="1.5" height="10" />
        )}
      </svg>
    </span>
  );
}
