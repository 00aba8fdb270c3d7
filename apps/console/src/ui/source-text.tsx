interface SourceProps {
  readonly source?: string | undefined;
  readonly medium?: string | undefined;
}

/** A source with its medium; `none` if the source is undefined. */
export function SourceText({ source, medium }: SourceProps) {
  if (source === undefined) return <span class="muted">none</span>;
  return (
    <>
      {source} <span class="muted">/ {medium}</span>
    </>
  );
}
