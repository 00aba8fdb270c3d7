/** Returns the number of terminal columns that a text takes. */
export type TextWidthMeasure = (text: string) => number;

/** Returns a function that measures the given texts. It loads Unicode tables, which takes a while, only for text that is not ASCII. */
export async function chooseTextWidthMeasure(texts: Iterable<string>): Promise<TextWidthMeasure> {
  for (const text of texts) {
    if (!/^[\x20-\x7e]*$/.test(text)) return (await import("string-width")).default;
  }
  return (text) => text.length;
}

/** Truncates a text to a width, with an ellipsis at the end. */
export function truncateText(text: string, width: number, measure: TextWidthMeasure): string {
  if (measure(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measure(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
