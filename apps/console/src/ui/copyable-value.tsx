import { useState } from "preact/hooks";

interface CopyableProps {
  readonly title: string;
  /** Names the value for screen readers, such as `the secret`. */
  readonly what: string;
  readonly value: string;
}

/** A value that a click selects as a whole. Only secure pages have a copy button, because other pages cannot write to the clipboard. */
export function CopyableValue({ title, what, value }: CopyableProps) {
  const [copied, setCopied] = useState<string>();
  // If the browser denies access to the clipboard, the value can still be selected.
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
