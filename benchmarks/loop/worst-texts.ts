import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@calltrack/domain/gen/google/api/annotations_pb";
import { LOOP_POOL_ID } from "./loop-rows.ts";

/** Slightly below the server's limit for headers. `MAX_URL_CHARACTERS` is slightly below the limit for URLs. */
const MAX_FIELD_CHARACTERS = 15_500;
const MAX_URL_CHARACTERS = 8000;

/** Texts that make regular expressions backtrack if they are repeated and followed by `x`. */
const PIECES = [
  ..." \t,;\"'\\=/.:-%([<@&*~a0é",
  " ,",
  "a,",
  '"a",',
  "W/",
  ";a=",
  "q=0.",
  "a=b;",
  "a=b&",
  "a@",
  "1.",
  "::",
];
/** Percent-encoded pieces for URLs. The last piece is two combining marks. */
const ESCAPES = ["%20", "%2C", "%25", "%2F", "%CC%81%CC%A3"];

/** The header fields that the server reads, each with the beginnings of its test values. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  accept: ["text/html", ""],
  "accept-encoding": ["gzip", ""],
  authorization: ["Bearer a", ""],
  connection: ["a"],
  "connect-accept-encoding": ["gzip"],
  "connect-timeout-ms": ["1"],
  "content-encoding": ["gzip"],
  "content-type": ["application/json", "application/grpc-web+proto", "application/x-www-form-urlencoded", ""],
  cookie: ["a=b", ""],
  "grpc-accept-encoding": ["gzip"],
  "grpc-encoding": ["gzip"],
  "grpc-timeout": ["1S"],
  host: ["localhost", "["],
  "idempotency-key": ["a", '"'],
  "if-match": ['"a",', ""],
  "if-none-match": ['"a",', ""],
  origin: ["http://a", "null"],
  referer: ["http://a/"],
  te: ["trailers", ""],
  traceparent: ["00-"],
  tracestate: ["a=b"],
  "user-agent": ["Mozilla/5.0", ""],
  "x-forwarded-for": ["1.1.1.1", ""],
  "x-forwarded-proto": ["https"],
  "x-request-id": ["a"],
  "x-server-timeout": ["1"],
  "x-signalwire-signature": ["a"],
  "x-twilio-signature": ["a"],
  "x-twilio-webhooks-signature-settings": ["algorithm=HMAC_SHA256", ""],
};

/** A request whose headers or URL are as long as the limits allow. */
export interface WorstTextRequest {
  /** Requests with the same name differ in their text, and are measured together. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function createWorstTextRequests(methods: readonly DescMethod[]): WorstTextRequest[] {
  const rpc = "/calltracking.v1.AccountService/ListAccounts";
  const targets = [
    { method: "GET", path: "/" },
    { method: "GET", path: "/dni.js" },
    { method: "GET", path: "/call_tracking/accounts" },
    { method: "POST", path: rpc, headers: { "content-type": "application/json" } },
    { method: "POST", path: rpc, headers: { "content-type": "application/grpc-web+proto" } },
    {
      method: "POST",
      path: `/telephony/${LOOP_POOL_ID}/voice`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
  ] as const;
  const inFields = targets.flatMap(({ method, path, ...target }) =>
    Object.entries(FIELDS).flatMap(([field, starts]) =>
      fill(starts, MAX_FIELD_CHARACTERS, PIECES).map((value) => {
        const headers = { ...("headers" in target && target.headers), [field]: value };
        return { name: `${field} at ${method} ${path}`, method, path, headers };
      }),
    ),
  );
  const urls = methods.filter((method) => hasOption(method, http)).flatMap(urlsOf);
  return [...inFields, ...urls].filter(({ path }) => /^[!-~]*$/.test(path));
}

/** Returns requests to a method with a long text in each query parameter, in each path variable, and as the whole query. */
function urlsOf(method: DescMethod): WorstTextRequest[] {
  const { pattern } = getOption(method, http);
  if (pattern.case !== "get") return [];
  const variables = /\{(\w+)\}/g;
  const path = pattern.value.replace(variables, (_, name: string) => (name === "pool_id" ? LOOP_POOL_ID : "acme"));
  const create = (name: string, url: string) => ({ name, method: "GET" as const, path: url, headers: {} });
  const texts = fill([""], MAX_URL_CHARACTERS - path.length, [...PIECES, ...ESCAPES]).filter(
    (text) => !/[#&]/.test(text),
  );
  return texts.flatMap((text) => [
    ...method.input.fields.map((field) =>
      create(`${field.name} of GET ${pattern.value}`, `${path}?${field.name}=${text}`),
    ),
    ...Array.from(pattern.value.matchAll(variables), ({ 0: variable }) =>
      create(`${variable} in GET ${pattern.value}`, path.replace("acme", text)),
    ),
    create(`the query of GET ${pattern.value}`, `${path}?${text}`),
  ]);
}

function fill(starts: readonly string[], characters: number, pieces: readonly string[]): string[] {
  return starts.flatMap((start) =>
    pieces.map((piece) => `${start}${piece.repeat((characters - start.length) / piece.length - 1)}x`),
  );
}
