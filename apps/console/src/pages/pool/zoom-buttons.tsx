/** A range of times, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

interface ZoomButtonsProps {
  readonly range: TimeRange;
  readonly whole: TimeRange;
  readonly onZoom: (range: TimeRange) => void;
}

/** Buttons that zoom or move the range that a timeline shows, within the whole range. */
export function ZoomButtons({ range, whole, onZoom }: ZoomButtonsProps) {
  const length = range.to - range.from;
  const middle = (range.from + range.to) / 2;
  const around = (next: number) => ({ from: middle - next / 2, to: middle + next / 2 });
  const moved = (by: number) => ({ from: range.from + by, to: range.to + by });
  const isWhole = length >= whole.to - whole.from;
  const buttons = [
    { text: "Zoom out", shows: around(length * 2), isDisabled: isWhole },
    { text: "Zoom in", shows: around(length / 2) },
    { text: "Earlier", shows: moved(-length / 2), isDisabled: range.from <= whole.from },
    { text: "Later", shows: moved(length / 2), isDisabled: range.to >= whole.to },
    { text: "Show all", shows: whole, isDisabled: isWhole },
  ];
  return (
    <div class="zoom" role="toolbar" aria-label="Period to show">
      {buttons.map(({ text, shows, isDisabled }) => (
        // With `disabled`, a button that reaches the end of the whole range would lose the focus.
        <button
          key={text}
          type="button"
          class="small"
          aria-disabled={isDisabled}
          onClick={() => isDisabled || onZoom(shows)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
