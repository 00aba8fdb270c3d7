interface LegendProps {
  readonly label: string;
  /** The class of each mark, and its meaning. */
  readonly marks: readonly (readonly [mark: string, text: string])[];
}

/** Explains the marks of a chart or table. */
export function Legend({ label, marks }: LegendProps) {
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
