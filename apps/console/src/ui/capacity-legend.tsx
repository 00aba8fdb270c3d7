/** Explains the parts of capacity bars. */
export function CapacityLegend() {
  return (
    <ul class="legend" aria-label="Parts of the bars">
      <li>
        <i class="part-active" /> active
      </li>
      <li>
        <i class="part-flagged" /> flagged
      </li>
      <li>
        <i class="part-available" /> available
      </li>
      <li>
        <i class="part-missing" /> not filled
      </li>
    </ul>
  );
}
