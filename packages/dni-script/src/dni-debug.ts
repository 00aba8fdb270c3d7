/* The debug mode, in a separate file: logs what the script saw and replaced, what the server decided, and why a number was not replaced. */
import type { DisplayPage, ShownNumber } from "./number-display.js";
import { createNumberSwap } from "./number-swap.js";
import type { Visit } from "./visit.js";

/** The numbers that a page shows: the detail of its event `calltrack`. */
export interface NumbersShown {
  readonly type: "numbers";
  /** Absent before the server's decision and for crawlers, as is `medium`. */
  readonly source?: string;
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
 * Logs to the console what the script does on a page. Returns a wrapper of `page` for the script to use. After each request, it asks the
 * server again with `visits:resolve`, because only that response says by which rule the server decided.
 *
 * @param property URL of a property, with a trailing slash.
 */
export function explainPage(page: DisplayPage, property: string, visit: Visit): DisplayPage {
  const printAnswer = createPrinter();
  const printPlaces = createPrinter();
  let answered: readonly ShownNumber[] = [];
  let shown: readonly ShownNumber[] = [];

  createPrinter()(describeStart(property, visit));
  import(new URL("dni-page.js", import.meta.url).href).catch((error) =>
    printAnswer([`dni-page.js, which replaces the numbers, cannot be loaded: ${error}.`]),
  );
  // Repeated, because pages change, and numbers in hydrated elements are replaced late.
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
        // An error response rejects with `Retry-After` instead of an Error. `describeServer` describes it.
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

/** Creates a function that prints those lines that its previous call did not contain. */
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
      "The script does nothing, because its tag lacks data-account or data-property. Tag managers drop attributes: use dni.js?account=…&property=… there.",
    ];
  }
  return [
    `The property is ${property}`,
    `The evidence of the visit is ${JSON.stringify(evidence)}`,
    origin
      ? `The visit continues from ${origin.source} / ${origin.medium}.`
      : "The server has not decided the source of this visit yet.",
    event ? "The visit is reported when the page has loaded." : "The visit was already reported.",
  ];
}

/** Describes how the server decides the source of the visit, or why it does not. */
async function describeServer(property: string, { evidence }: Visit): Promise<string[]> {
  try {
    const response = await fetch(`${property}visits:resolve`, {
      method: "POST",
      body: new Blob([JSON.stringify({ evidence })]),
    });
    if (!response.ok) return [`The server responds with status ${response.status}: ${await response.text()}`];
    return describeDecision(await response.json());
  } catch (error) {
    return [`The server is unreachable, or the page's content security policy forbids the request: ${error}.`];
  }
}

function describeDecision({ source, medium, rule, is_counted, numbers }: Decision): string[] {
  if (source === undefined)
    return [`The server takes this browser for a crawler, which gets no number and is not counted.`];
  const decision = `The server decided ${source} / ${medium} by the rule ${rule}.`;
  if (numbers.length === 0) {
    return [
      decision,
      "The server has no pool for this property. Check data-account and data-property, that the account is enabled, and that a pool of the property has is_dni set.",
    ];
  }
  const count = `The server ${is_counted ? "counts" : "does not count"} the visit.`;
  return [decision, count, ...numbers.map((pair) => describePair(pair, numbers))];
}

function describePair({ original_number, number }: ShownNumber, numbers: readonly ShownNumber[]): string {
  if (number === original_number) return `${number} stays, because its pool has no number for this source.`;
  const isShown = numbers.some((other) => other.number === original_number);
  return `${original_number} ${isShown ? "stays, because another pool shows it" : `is to be replaced by ${number}`}.`;
}

/** Describes how often the page shows each number. */
function describePlaces(shown: readonly ShownNumber[], answered: readonly ShownNumber[]): string[] {
  const text = readPage(document);
  const late = answered.filter((next) => !shown.some(({ number }) => number === next.number));
  return [
    ...shown.map(({ original_number, number }) => {
      const [replaced, left] = [number, original_number].map((each) => countNumber(text, each));
      if (!replaced && !left) return `${original_number} is not on this page.`;
      const places = `${original_number} becomes ${number}. Places replaced: ${replaced}, not replaced: ${left}.`;
      return left
        ? `${places} Inputs, links to messages and elements that are not hydrated yet keep the original number.`
        : places;
    }),
    ...late.map(({ number }) => `${number} is shown from the next page on.`),
  ];
}

/** Returns the texts and attributes that people see, hear or dial, including those in open shadow roots. */
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
  const swap = createNumberSwap([{ original_number: number, number: mark }]);
  return swap(text, true).split(mark).length - 1;
}
