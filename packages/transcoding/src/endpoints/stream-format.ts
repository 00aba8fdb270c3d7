import { parseQualityValues } from "../http/quality-values.js";
import { RequestError } from "../http/request-error.js";

/** The lines of a server-sent event besides its data. */
export interface EventMark {
  /** Undefined for none. */
  readonly id: string | undefined;
  /** Undefined for none. */
  readonly name: string | undefined;
  /** Whether the event has only an id. Clients remember it, and get no event. */
  readonly isBookmark: boolean;
}

/** How the messages of a server stream become a body. Each function returns the text of one chunk. */
export interface StreamFormat {
  readonly contentType: string;
  /** A message; `first` is true for the stream's first record. Only server-sent events have a mark. */
  message(json: string, first: boolean, mark: EventMark | undefined): string;
  /** The error that ends the stream after at least one message. */
  error(json: string): string;
  /** The text after all records; `empty` is true if there were none. */
  end(empty: boolean): string;
}

const JSON_ARRAY: StreamFormat = {
  contentType: "application/json",
  message: (json, first) => (first ? `[${json}` : `,${json}`),
  error: (json) => `,${json}`,
  end: (empty) => (empty ? "[]" : "]"),
};

// https://github.com/ndjson/ndjson-spec
const ND_JSON: StreamFormat = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  error: (json) => `${json}\n`,
  end: () => "",
};

// https://html.spec.whatwg.org/multipage/server-sent-events.html
const EVENT_STREAM: StreamFormat = {
  contentType: "text/event-stream",
  message: (json, _, mark) => `${formatMark(mark)}${mark?.isBookmark ? "" : `data: ${json}\n`}\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "",
};

/** A line break would end the line, and clients ignore ids with NUL. */
const UNSAFE = /[\r\n\0]/g;

function formatMark(mark: EventMark | undefined): string {
  const line = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value.replace(UNSAFE, "")}\n`;
  return mark === undefined ? "" : line("id", mark.id) + line("event", mark.name);
}

const FORMATS: readonly StreamFormat[] = [JSON_ARRAY, ND_JSON, EVENT_STREAM];

/**
 * Chooses the format by `Accept` (RFC 9110 section 12.5.1): the highest weight, then the most specific media range, then the
 * JSON array. Throws a `RequestError` if the client accepts none.
 */
export function negotiateStreamFormat(accept: string | undefined): StreamFormat {
  if (accept === undefined) return JSON_ARRAY;
  const qualities = parseQualityValues(accept);
  const ranked = FORMATS.map((format) => ({ format, rank: rankFormat(format, qualities) }));
  const [best] = ranked.filter(({ rank }) => rank > 0).toSorted((one, other) => other.rank - one.rank);
  if (best !== undefined) return best.format;
  throw createNotAcceptableError();
}

/** Creates the error of an `Accept` that allows no format. */
export function createNotAcceptableError(): RequestError {
  const types = FORMATS.map(({ contentType }) => contentType).join(", ");
  return new RequestError("NOT_ACCEPTABLE", `the Accept header must allow one of ${types}`);
}

/** Ranks a format; more than 0 if it is acceptable. */
function rankFormat({ contentType }: StreamFormat, qualities: ReadonlyMap<string, number>): number {
  const [type] = contentType.split("/");
  const ranges = [contentType, `${type}/*`, "*/*"];
  const range = ranges.find((candidate) => qualities.has(candidate));
  if (range === undefined) return 0;
  // Weights have three decimals, so a difference in precision never outweighs one in weight.
  return (qualities.get(range) ?? 0) - ranges.indexOf(range) * 1e-4;
}
