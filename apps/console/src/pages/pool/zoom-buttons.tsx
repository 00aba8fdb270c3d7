/** A part of the time, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

interface ZoomButtonsProps {
  readonly range: TimeRange;
  readonly whole: TimeRange;
  readonly onZoom: (range: TimeRange) => void;
}

/** Buttons that show more or less of the time, or another part of it. */
export function ZoomButtons({ range, whole, onZoom }: ZoomButtonsProps) {
  const length = range.to - range.from;
  const middle = (range.from + range.to) / 2;
  const around = (next: number) => onZoom({ from: middle - next / 2, to: middle + next / 2 });
  const move = (by: number) => onZoom({ from: range.from + by, to: range.to + by });
  const isWhole = length >= whole.to - whole.from;
  return (
    <div class="zoom" role="toolbar" aria-label="Shown time">
      <button type="button" class="small" disabled={isWhole} onClick={() => around(length * 2)}>
        Zoom out
      </button>
      <button type="button" class="small" onClick={() => around(length / 2)}>
        Zoom in
      </button>
      <button type="button" class="small" disabled={range.from <= whole.from} onClick={() => move(-length / 2)}>
        Earlier
      </button>
      <button type="button" class="small" disabled={range.to >= whole.to} onClick={() => move(length / 2)}>
        Later
      </button>
      <button type="button" class="small" disabled={isWhole} onClick={() => onZoom(whole)}>
        Show all
      </button>
    </div>
  );
}
