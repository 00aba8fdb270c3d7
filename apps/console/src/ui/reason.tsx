import { Time } from "./time";

/** A time in the API's sentences, such as `2026-11-28T12:03:04Z`. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A reason as the API words it, but with times in the browser's time zone. */
export function Reason({ text }: { readonly text: string }) {
  return (
    <span class="reason">
      {text.split(TIME).map((part) => (TIME.test(part) ? <Time key={part} value={new Date(part)} /> : part))}
    </span>
  );
}
