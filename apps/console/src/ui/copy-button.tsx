import { useState } from "preact/hooks";

const SHOWN_MS = 1500;

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [label, setLabel] = useState("Copy");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setLabel("Copied");
        setTimeout(() => setLabel("Copy"), SHOWN_MS);
      },
      () => setLabel("Select and copy"),
    );
  return (
    <button type="button" class="small" aria-label={`${label} ${what}`} onClick={copy}>
      {label}
    </button>
  );
}
