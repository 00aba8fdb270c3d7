import { parseQualityValues } from "../http/quality-values.js";
import { RequestError } from "../http/request-error.js";

/** The fields of a server-sent event other than its data. A field that the event does not have is undefined. */
export interface ServerSentEventFields {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Whether to send only the id. Clients then store the id, and dispatch no event. */
  readonly isBookmark: boolean;
}

/** A format of the response body of a server stream. Each function returns the text of one chunk. */
export interface StreamFormat {
  readonly contentType: string;
  /** Formats a message. `first` is true for the first message of a stream. Only the format for server-sent events uses `fields`. */
  message(json: string, first: boolean, fields: ServerSentEventFields | undefined): string;
  /** Formats the error that ends a stream after at least one message. */
  error(json: string): string;
  /** Returns the text after the last message or error. `empty` is true if the stream had no message. */
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

/** Matches characters to remove from ids and names: a line break would end the field, and clients ignore ids that contain NUL. */
const UNSAFE = /[\r\n\0]/g;

function formatEventFields(fields: ServerSentEventFields | undefined): string {
  const line = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value.replace(UNSAFE, "")}\n`;
  return fields === undefined ? "" : line("id", fields.id) + line("event", fields.name);
}

const FORMATS: readonly StreamFormat[] = [JSON_ARRAY, ND_JSON, EVENT_STREAM];

/**
 * Chooses a format by the `Accept` header (RFC 9110 section 12.5.1): the one with the highest weight. If several have that weight, prefers the most
 * specific media range, and then the JSON array. Throws a `RequestError` if the client accepts no format.
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

/** Returns the rank of a format for choosing the best one. The rank is more than 0 if the client accepts the format. */
function rankFormat({ contentType }: StreamFormat, qualities: ReadonlyMap<string, number>): number {
  const [type] = contentType.split("/");
  const ranges = [contentType, `${type}/*`, "*/*"];
  const range = ranges.find((candidate) => qualities.has(candidate));
  if (range === undefined) return 0;
  // Weights have at most three decimals, so the specificity of a range never outweighs a higher weight.
  return (qualities.get(range) ?? 0) - ranges.indexOf(range) * 1e-4;
}
