import { useState } from "preact/hooks";

interface CopyableProps {
  /** Text above the value. */
  readonly title: string;
  /** Names the value for the button, such as `the secret`. */
  readonly what: string;
  readonly value: string;
}

/** A value to take elsewhere. A click selects all of it, because only secure pages can write to the clipboard. */
export function Copyable({ title, what, value }: CopyableProps) {
  const [copied, setCopied] = useState<string>();
  // A browser may refuse; the value can still be selected.
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(value),
      () => setCopied(undefined),
    );
  return (
    <div>
      <span class="note">
        {title}{" "}
        {isSecureContext && (
          <button type="button" class="link" aria-label={`Copy ${what}`} onClick={copy}>
            {copied === value ? "copied" : "copy"}
          </button>
        )}
      </span>
      <code>{value}</code>
    </div>
  );
}
