import { LocalTime } from "./local-time";

/** Matches a time in the API's texts, such as `2026-11-28T12:03:04Z`. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A reason from the API, with its times converted to the browser's time zone. */
export function ReasonText({ text }: { readonly text: string }) {
  return (
    <span class="reason">
      {text.split(TIME).map((part) => (TIME.test(part) ? <LocalTime key={part} value={new Date(part)} /> : part))}
    </span>
  );
}
