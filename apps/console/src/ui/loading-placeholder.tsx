export function LoadingPlaceholder({ what }: { readonly what: string }) {
  return (
    <div class="placeholder" role="status">
      <span class="visually-hidden">Loading {what}…</span>
      <i />
      <i />
      <i />
    </div>
  );
}
