import { expect } from "vitest";
import { HTTP_ERRORS_BY_REASON } from "../errors/http-errors.js";
import { RPC_ERROR_TEMPLATES_BY_REASON } from "../errors/wire-error.js";
import type { ErrorDetail, Refusal } from "./refusal.js";

const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

const REASONS = [
  ...Object.keys(RPC_ERROR_TEMPLATES_BY_REASON),
  ...Object.keys(HTTP_ERRORS_BY_REASON),
  "BODY_MALFORMED",
  "BODY_TOO_LARGE",
  "CONTENT_TYPE_UNSUPPORTED",
  "CONTENT_ENCODING_UNSUPPORTED",
  "HEADER_MALFORMED",
  "ROUTE_NOT_FOUND",
  "NOT_FOUND",
  "UNIMPLEMENTED",
  "URL_TOO_LARGE",
];

/**
 * The HTTP statuses that the service sends for each google.rpc code. More specific statuses are for errors in the HTTP request, such as 414 for a
 * long URL.
 */
const HTTP_STATUSES: Readonly<Record<string, readonly number[]>> = {
  INVALID_ARGUMENT: [400, 414, 415, 422, 431],
  FAILED_PRECONDITION: [400],
  OUT_OF_RANGE: [400],
  UNAUTHENTICATED: [401],
  PERMISSION_DENIED: [403],
  NOT_FOUND: [404],
  ALREADY_EXISTS: [409],
  ABORTED: [412],
  RESOURCE_EXHAUSTED: [413, 429],
  UNIMPLEMENTED: [405],
  INTERNAL: [500],
  UNAVAILABLE: [503],
  DEADLINE_EXCEEDED: [408, 504],
};

/** Internals that error messages must not reveal: SQL, names of tables and constraints, stack frames, files, parser errors. */
const INTERNALS =
  /\b(?:select|insert into|update \w+ set|constraint|relation|account_handles|uuid_v7|pkey|SQLSTATE|JSON\.parse|SyntaxError|TypeError|undefined|node_modules)\b|\bat \w+ \(|\.[jt]s\b|\[object|\$\d/;

/** Asserts that a response from a JSON path is a well-formed error (AIP-193). Returns the error from the response body `text`. */
export function expectErrorShape(status: number, contentType: string | null | undefined, text: string): Refusal {
  expect(contentType).toBe("application/json");
  const body = JSON.parse(text);
  expect(Object.keys(body)).toEqual(["error"]);
  const { error } = body;
  expect(Object.keys(error)).toEqual(["code", "status", "message", "details"]);
  expect(error.code).toBe(status);
  expect(HTTP_STATUSES[error.status]).toContain(status);
  return readErrorDetails(error.status, error.message, error.details);
}

/** Asserts the properties that errors have in all protocols, such as exactly one ErrorInfo detail. Returns the error with its parsed details. */
export function readErrorDetails(status: string, message: string, details: readonly ErrorDetail[]): Refusal {
  expect(message).not.toBe("");
  expect(message).not.toMatch(INTERNALS);
  const infos = details.filter((detail) => detail["@type"] === `${TYPE_PREFIX}ErrorInfo`);
  expect(infos).toEqual([
    {
      "@type": `${TYPE_PREFIX}ErrorInfo`,
      reason: expect.toBeOneOf(REASONS),
      domain: "calltracking",
      ...metadataOf(infos[0]),
    },
  ]);
  const reason = String(infos[0]?.reason);
  const violations = violationsOf(details);
  if (reason === "FIELD_INVALID") {
    expect(message).toBe(violations.map(({ field, description }) => `${field} ${description}`).join("; "));
  }
  return { status, message, reason, metadata: metadataOf(infos[0]).metadata ?? {}, violations, details };
}

function metadataOf(info: ErrorDetail | undefined): { readonly metadata?: Refusal["metadata"] } {
  return info?.metadata === undefined ? {} : { metadata: info.metadata as Refusal["metadata"] };
}

function violationsOf(details: readonly ErrorDetail[]): Refusal["violations"] {
  const found = details.filter((detail) => detail["@type"] === `${TYPE_PREFIX}BadRequest`);
  expect(found.length).toBeLessThanOrEqual(1);
  const violations = (found[0]?.field_violations ?? []) as Refusal["violations"];
  for (const violation of violations) {
    expect(violation).toEqual({ field: expect.stringMatching(/\S/), description: expect.stringMatching(/\S/) });
  }
  return violations;
}
