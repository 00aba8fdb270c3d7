import { formatCount } from "../format/number-text";

interface CapacityBarProps {
  readonly active: number;
  readonly flagged: number;
  readonly available: number;
  readonly size: number;
  /** Whether the visible text beside the bar names the status of each count. Otherwise, it contains only the counts. */
  readonly inWords?: boolean;
}

/**
 * A bar of a pool's call trackers by status, scaled to the pool's size. The empty part stands for the call trackers that are missing to that size.
 */
export function CapacityBar({ active, flagged, available, size, inWords = false }: CapacityBarProps) {
  const share = (count: number) => ({ width: `${(100 * count) / Math.max(size, active + flagged + available, 1)}%` });
  const text = `${formatCount(active)} active, ${formatCount(flagged)} flagged, ${formatCount(available)} available; pool size ${formatCount(size)}`;
  return (
    <span class="capacity" title={text}>
      <span class="capacity-bar" aria-hidden="true">
        <i class="part-active" style={share(active)} />
        <i class="part-flagged" style={share(flagged)} />
        <i class="part-available" style={share(available)} />
      </span>
      <span class="capacity-text">
        {inWords ? (
          text
        ) : (
          <>
            <span aria-hidden="true">
              {formatCount(active)} · {formatCount(flagged)} · {formatCount(available)}{" "}
              <span class="muted">/ {formatCount(size)}</span>
            </span>
            <span class="visually-hidden">{text}</span>
          </>
        )}
      </span>
    </span>
  );
}
