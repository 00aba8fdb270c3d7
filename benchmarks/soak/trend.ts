/** How a figure moves with time. */
export interface Trend {
  readonly mean: number;
  /** A minute; by least squares. */
  readonly slope: number;
  /** The slope lies within this of it, with 95 % confidence. */
  readonly margin: number;
}

/** Of Student's distribution, two-sided, at 95 %, for very many values; it grows with `T95_GROWTH` by their number, about. */
const T95 = 1.96;
const T95_GROWTH = 2.4;

/**
 * The trend of values at their minutes.
 *
 * See https://en.wikipedia.org/wiki/Simple_linear_regression#Confidence_intervals
 */
export function trendOf(points: readonly (readonly [minute: number, value: number])[]): Trend {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const mean = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - mean), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  const freedom = count - 2;
  const t = T95 + T95_GROWTH / freedom;
  return { mean, slope, margin: t * Math.sqrt(rest / freedom / spread) };
}
