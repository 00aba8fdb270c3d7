interface CheckProps {
  readonly label: string;
  readonly name?: string;
  /** The browser keeps the value if none is given. */
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (isChecked: boolean) => void;
}

/** A labelled checkbox. */
export function Check({ label, onChange, ...rest }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" {...rest} onChange={(event) => onChange?.(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
