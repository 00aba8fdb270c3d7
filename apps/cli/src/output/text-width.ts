/** Measures the columns of a terminal that a text takes. */
export type MeasureText = (text: string) => number;

/** Returns what measures all of some texts. Other texts than ASCII need tables of Unicode, which take a while to load. */
export async function chooseMeasure(texts: Iterable<string>): Promise<MeasureText> {
  for (const text of texts) {
    if (!/^[\x20-\x7e]*$/.test(text)) return (await import("string-width")).default;
  }
  return (text) => text.length;
}

/** The text, cut to a width, with an ellipsis in place of what was cut. */
export function fitText(text: string, width: number, measure: MeasureText): string {
  if (measure(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measure(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
