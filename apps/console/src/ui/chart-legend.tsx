interface LegendProps {
  readonly label: string;
  /** The CSS class and the meaning of each mark in the chart. */
  readonly marks: readonly (readonly [mark: string, text: string])[];
}

export function ChartLegend({ label, marks }: LegendProps) {
  return (
    <ul class="legend" aria-label={label}>
      {marks.map(([mark, text]) => (
        <li key={text}>
          <i class={mark} /> {text}
        </li>
      ))}
    </ul>
  );
}
