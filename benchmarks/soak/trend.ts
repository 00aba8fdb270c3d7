/** Trend of a figure over time. */
export interface Trend {
  readonly mean: number;
  /** Slope per minute, by least squares. */
  readonly slope: number;
  /** Half the width of the 95 % confidence interval of the slope. */
  readonly margin: number;
}

/** Student's t for a two-sided 95 % interval and very many values; `T95_GROWTH` approximates it for fewer. */
const T95 = 1.96;
const T95_GROWTH = 2.4;

/**
 * Computes the trend of values at times in minutes.
 *
 * See https://en.wikipedia.org/wiki/Simple_linear_regression#Confidence_intervals
 */
export function computeTrend(points: readonly (readonly [minute: number, value: number])[]): Trend {
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
