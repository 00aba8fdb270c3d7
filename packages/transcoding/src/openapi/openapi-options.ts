import type { DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";
import type { OpenApiInfo, OpenApiSecurityScheme } from "./openapi-document.js";

/** The options of `openapi`. Pass the options that also exist in `createTranscoder` to both functions, so that the document matches the server. */
export interface OpenApiOptions
  extends Pick<TranscoderOptions, "basePath" | "rules" | "unsupported" | "json" | "errors" | "maxTimeoutMs"> {
  readonly info: OpenApiInfo;
  /** The maximum size of a request body in bytes, or a function that returns it for a method. Default: 4 MiB. */
  readonly readMaxBytes?: number | ((method: DescMethod) => number);
  /**
   * Descriptors of the protos with their comments, which become descriptions. Generated code lacks the comments. `buf build --as-file-descriptor-set`
   * and `protoc --include_source_info --descriptor_set_out` write files with the comments. Default: no descriptions.
   */
  readonly protos?: FileDescriptorSet;
  /**
   * Returns additional failures of a method, such as errors from interceptors. The document always contains the library's own failures, and those in
   * the method's `transcoding.v1.http` option. Default: none.
   */
  readonly failures?: (method: DescMethod) => readonly DocumentedFailure[];
  /** How clients authenticate, and which scopes they need. Default: not documented. */
  readonly security?: OpenApiSecurity;
  /** The requests that the service sends to URLs of its clients, keyed by the name of the webhook. Default: none. */
  readonly webhooks?: Readonly<Record<string, DocumentedWebhook>>;
}

export interface OpenApiSecurity {
  /** The ways to authenticate, keyed by their names in the document. A client uses one of them. */
  readonly schemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  /** Returns the scopes or roles that a method requires; undefined if anyone may call it. */
  readonly scopesOf: (method: DescMethod) => readonly string[] | undefined;
}

/** A failure of a method that the document lists. The message `Failure` in transcoding/v1/http.proto describes the fields. */
export interface DocumentedFailure {
  readonly code: Code;
  readonly reason: string;
  readonly description: string;
}

/** A `POST` request that the service sends to a URL of a client, and that the document describes. */
export interface DocumentedWebhook {
  /** The title of the request, such as `Event`. */
  readonly summary: string;
  /** The description of the request, in CommonMark. */
  readonly description: string;
  /** The service under which the document lists the request. The document must contain this service. */
  readonly service: DescService;
  /** The message type of the body, which is written in the same JSON as responses. */
  readonly body: DescMessage;
  /** The headers of the request other than `Content-Type`, keyed by name. Default: none. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** The meaning of each response from the client, keyed by status such as `204`. `2XX` represents all statuses from 200 to 299. */
  readonly responses: Readonly<Record<string, string>>;
}
