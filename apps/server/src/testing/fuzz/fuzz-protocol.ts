/** The format of a response. It determines where the response contains the error code. */
export type AnswerForm = "json" | "connect" | "connect-stream" | "grpc" | "grpc-web";

export interface FuzzProtocol {
  readonly name: string;
  readonly form: AnswerForm;
  readonly codec: "json" | "proto";
  /** How messages are framed: not at all, in envelopes, in Base64-encoded envelopes, or in the query of a GET. */
  readonly framing: "none" | "envelope" | "base64" | "get";
  /** Undefined if the request has no content type. */
  readonly contentType: string | undefined;
}

export const FUZZ_PROTOCOLS: readonly FuzzProtocol[] = [
  { name: "JSON path", form: "json", codec: "json", framing: "none", contentType: "application/json" },
  ...(["json", "proto"] as const).flatMap((codec): FuzzProtocol[] => [
    { name: `Connect ${codec}`, form: "connect", codec, framing: "none", contentType: `application/${codec}` },
    { name: `Connect ${codec} by GET`, form: "connect", codec, framing: "get", contentType: undefined },
    ofEnvelopes("connect-stream", codec, `application/connect+${codec}`),
    ofEnvelopes("grpc", codec, `application/grpc+${codec}`),
    ofEnvelopes("grpc-web", codec, `application/grpc-web+${codec}`),
  ]),
  ofEnvelopes("grpc", "proto", "application/grpc"),
  ofEnvelopes("grpc-web", "proto", "application/grpc-web"),
  { ...ofEnvelopes("grpc-web", "proto", "application/grpc-web-text"), framing: "base64" },
  { ...ofEnvelopes("grpc-web", "proto", "application/grpc-web-text+proto"), framing: "base64" },
];

function ofEnvelopes(form: AnswerForm, codec: FuzzProtocol["codec"], contentType: string): FuzzProtocol {
  return { name: contentType, form, codec, framing: "envelope", contentType };
}
