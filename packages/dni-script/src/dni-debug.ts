/* The debug mode, in a file that pages load on demand. Logs what dni.js saw and replaced, what the server decided, and why a number stays. */
import type { NumberDisplayEnvironment, ShownNumber } from "./number-display.js";
import { createNumberSwapper } from "./number-swapper.js";
import type { Visit } from "./visit.js";

/** The detail of the event `calltrack` that a page dispatches: the numbers that the page shows. */
export interface CalltrackEventDetail {
  readonly type: "numbers";
  /** Absent before the server has decided the source of the visit, and for crawlers. */
  readonly source?: string;
  /** Absent if `source` is absent. */
  readonly medium?: string;
  /** Empty if the page shows its original numbers. */
  readonly numbers: readonly ShownNumber[];
}

/** The response to `visits:resolve`. */
interface Decision {
  readonly source?: string;
  readonly medium?: string;
  readonly rule: string;
  readonly is_counted: boolean;
  readonly numbers: readonly ShownNumber[];
}

const ATTRIBUTES = ["href", "xlink:href", "title", "aria-label", "alt", "value"];

const PLACES_INTERVAL_MS = 1000;

/**
 * Returns a wrapper around `page` that logs to the console what dni.js does. After each request for numbers, the wrapper also sends
 * `visits:resolve`, because only that response contains the rule by which the server decided the source.
 *
 * @param property the URL of the property in the API, with a trailing slash.
 */
export function addDebugLogging(
  page: NumberDisplayEnvironment,
  property: string,
  visit: Visit,
): NumberDisplayEnvironment {
  const printAnswer = createPrinter();
  const printPlaces = createPrinter();
  let answered: readonly ShownNumber[] = [];
  let shown: readonly ShownNumber[] = [];

  createPrinter()(describeStart(property, visit));
  import(new URL("dni-page.js", import.meta.url).href).catch((error) =>
    printAnswer([`dni-page.js, which replaces the numbers, cannot be loaded: ${error}.`]),
  );
  // Counts the numbers on the page repeatedly, because pages change, and because numbers in elements that wait for hydration are replaced late.
  setInterval(() => printPlaces(describePlaces(shown, answered)), PLACES_INTERVAL_MS);
  return {
    ...page,
    async fetchNumbers() {
      const explain = async (outcome: string) => printAnswer([outcome, ...(await describeServer(property, visit))]);
      const asked = property + (visit.origin ? "numbers" : "visits:resolve");
      try {
        answered = await page.fetchNumbers();
        explain(`The request to ${asked} succeeded.`);
        return answered;
      } catch (error) {
        // For an error response, `fetchNumbers` rejects with the value of `Retry-After` instead of an Error. `describeServer` logs the response.
        explain(`The request to ${asked} failed${error instanceof Error ? `: ${error}` : ""}.`);
        throw error;
      }
    },
    swap(numbers) {
      if (numbers.length === 0) {
        if (shown.length > 0) printPlaces(["The server withdrew the numbers, or they expired."]);
        answered = [];
      }
      shown = numbers;
      page.swap(numbers);
    },
  };
}

/** Creates a function that prints lines, except those that its previous call also printed. */
function createPrinter(): (lines: readonly string[]) => void {
  let printed: readonly string[] = [];
  return (lines) => {
    for (const line of lines) if (!printed.includes(line)) console.log(`calltrack: ${line}`);
    printed = lines;
  };
}

function describeStart(property: string, { evidence, origin, event }: Visit): string[] {
  if (/\/(accounts|properties)\/\//.test(property)) {
    return [
      "The script does nothing, because its tag lacks data-account or data-property. If a tag manager drops these attributes, use dni.js?account=…&property=… instead.",
    ];
  }
  return [
    `The URL of the property is ${property}`,
    `The evidence of the visit is ${JSON.stringify(evidence)}`,
    origin
      ? `The server has already decided the source of this visit: ${origin.source} / ${origin.medium}.`
      : "The server has not decided the source of this visit yet.",
    event ? "The visit is reported when the page has loaded." : "The visit was already reported.",
  ];
}

/** Sends `visits:resolve`, and describes how the server decided the source of the visit, or why it did not. */
async function describeServer(property: string, { evidence }: Visit): Promise<string[]> {
  try {
    const response = await fetch(`${property}visits:resolve`, {
      method: "POST",
      body: new Blob([JSON.stringify({ evidence })]),
    });
    if (!response.ok) return [`The server responds with status ${response.status}: ${await response.text()}`];
    return describeDecision(await response.json());
  } catch (error) {
    return [
      `The server is unreachable, or the page's content security policy lacks the server in connect-src: ${error}.`,
    ];
  }
}

function describeDecision({ source, medium, rule, is_counted, numbers }: Decision): string[] {
  if (source === undefined)
    return [
      `The server classifies this browser as a crawler. A crawler gets no number, and its visits are not counted.`,
    ];
  const decision = `The server decided that the source is ${source} / ${medium}, by the rule ${rule}.`;
  if (numbers.length === 0) {
    return [
      decision,
      "The server has no pool for this property. Check data-account and data-property. Check that the account is enabled, and that a pool of the property has is_dni set.",
    ];
  }
  const count = `The server ${is_counted ? "counts" : "does not count"} the visit.`;
  return [decision, count, ...numbers.map((pair) => describePair(pair, numbers))];
}

function describePair({ original_number, number }: ShownNumber, numbers: readonly ShownNumber[]): string {
  if (number === original_number) return `${number} stays on the page, because its pool has no number for this source.`;
  const isShown = numbers.some((other) => other.number === original_number);
  return `${original_number} ${isShown ? "stays on the page, because another pool shows this number instead of its own original number" : `will be replaced by ${number}`}.`;
}

/** Describes in how many places the page shows each number. */
function describePlaces(shown: readonly ShownNumber[], answered: readonly ShownNumber[]): string[] {
  const text = readPage(document);
  const late = answered.filter((next) => !shown.some(({ number }) => number === next.number));
  return [
    ...shown.map(({ original_number, number }) => {
      const [replaced, left] = [number, original_number].map((each) => countNumber(text, each));
      if (!replaced && !left) return `${original_number} is not on this page.`;
      const places = `${original_number} is replaced by ${number}. Places replaced: ${replaced}, not replaced: ${left}.`;
      return left
        ? `${places} Inputs, messaging links, and elements that wait for hydration keep the original number.`
        : places;
    }),
    ...late.map(({ number }) => `${number} will be shown from the next page on.`),
  ];
}

/** Returns the visible texts of a page, and the attributes that visitors see, hear or dial. Includes open shadow roots. */
function readPage(node: Node): string {
  if (node instanceof Text) return node.data;
  const texts: string[] = [];
  if (node instanceof Element) {
    if (node.matches("script,style,noscript")) return "";
    for (const name of ATTRIBUTES) texts.push(node.getAttribute(name) ?? "");
    if (node.shadowRoot) texts.push(readPage(node.shadowRoot));
  }
  for (const child of node.childNodes) texts.push(readPage(child));
  return texts.join(" ");
}

function countNumber(text: string, number: string): number {
  const mark = "+10000000000";
  const swap = createNumberSwapper([{ original_number: number, number: mark }]);
  return swap(text, true).split(mark).length - 1;
}
