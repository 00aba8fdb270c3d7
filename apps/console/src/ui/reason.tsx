import { Time } from "./time";

/** A time as the API writes it into its sentences. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A reason in the API's words, with its times in the reader's zone. */
export function Reason({ text }: { readonly text: string }) {
  return (
    <span class="reason">
      {text.split(TIME).map((part) => (TIME.test(part) ? <Time key={part} value={new Date(part)} /> : part))}
    </span>
  );
}
