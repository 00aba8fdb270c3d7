/** Creates the rule that accepts numbers from `min` to `max`, inclusive. */
export function createRangeRule(min: number, max: number): (value: number) => string | undefined {
  return (value) => (value >= min && value <= max ? undefined : `must be between ${min} and ${max}`);
}
