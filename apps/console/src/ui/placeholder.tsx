/** Stands in for content that is loading, such as `pools`. */
export function Placeholder({ what }: { readonly what: string }) {
  return (
    <div class="placeholder" role="status">
      <span class="visually-hidden">Loading {what}…</span>
      <i />
      <i />
      <i />
    </div>
  );
}
