const LONGEST = 80;

/**
 * A caller's value as it may stand in a message: quoted, control characters escaped, and cut after 80 code points.
 */
export function quote(value: string): string {
  const shown = [...value.slice(0, 2 * LONGEST)];
  const text = value.length > LONGEST && shown.length > LONGEST ? `${shown.slice(0, LONGEST).join("")}…` : value;
  return JSON.stringify(text);
}
