import { parseQualityValues } from "../http/quality-values.js";
import { RequestError } from "../http/request-error.js";

/** The fields of a server-sent event other than its data. Undefined if the event has no such field. */
export interface EventFields {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Whether to send only the id: clients store it and dispatch no event. */
  readonly isBookmark: boolean;
}

/** How the messages of a server stream are written to the body. Each function returns the text of one chunk. */
export interface StreamFormat {
  readonly contentType: string;
  /** A message; `first` is true for the stream's first record. Only the format of server-sent events uses `fields`. */
  message(json: string, first: boolean, fields: EventFields | undefined): string;
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
  message: (json, _, fields) => `${formatEventFields(fields)}${fields?.isBookmark ? "" : `data: ${json}\n`}\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "",
};

/** Characters that are removed: a line break would end the line, and clients ignore ids with NUL. */
const UNSAFE = /[\r\n\0]/g;

function formatEventFields(fields: EventFields | undefined): string {
  const line = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value.replace(UNSAFE, "")}\n`;
  return fields === undefined ? "" : line("id", fields.id) + line("event", fields.name);
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

export function createNotAcceptableError(): RequestError {
  const types = FORMATS.map(({ contentType }) => contentType).join(", ");
  return new RequestError("NOT_ACCEPTABLE", `the Accept header must allow one of ${types}`);
}

/** Returns the rank of a format, which is more than 0 if the client accepts it. */
function rankFormat({ contentType }: StreamFormat, qualities: ReadonlyMap<string, number>): number {
  const [type] = contentType.split("/");
  const ranges = [contentType, `${type}/*`, "*/*"];
  const range = ranges.find((candidate) => qualities.has(candidate));
  if (range === undefined) return 0;
  // Weights have three decimals, so a more specific range never outweighs a higher weight.
  return (qualities.get(range) ?? 0) - ranges.indexOf(range) * 1e-4;
}
