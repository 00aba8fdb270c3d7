import type { DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";
import type { OpenApiInfo, OpenApiSecurityScheme } from "./openapi-document.js";

/** Options of `openapi`. Pass the options that it shares with `createTranscoder` to both, so that the document matches the server. */
export interface OpenApiOptions
  extends Pick<TranscoderOptions, "basePath" | "rules" | "unsupported" | "json" | "errors" | "maxTimeoutMs"> {
  readonly info: OpenApiInfo;
  /** The maximum size of a request body; a function if registrations set limits of their own. Default: 4 MiB. */
  readonly readMaxBytes?: number | ((method: DescMethod) => number);
  /**
   * The protos with their comments, which generated code lacks. `buf build --as-file-descriptor-set` and
   * `protoc --include_source_info --descriptor_set_out` write such files. Default: no descriptions.
   */
  readonly protos?: FileDescriptorSet;
  /**
   * Additional failures of a method, such as errors from interceptors. The library's own failures and those in the method's
   * `transcoding.v1.http` option are always documented. Default: none.
   */
  readonly failures?: (method: DescMethod) => readonly DocumentedFailure[];
  /** The authentication and scopes of methods. Default: not documented. */
  readonly security?: OpenApiSecurity;
  /** The requests that the service sends to URLs of its clients, by name. Default: none. */
  readonly webhooks?: Readonly<Record<string, DocumentedWebhook>>;
}

export interface OpenApiSecurity {
  /** The ways to authenticate, by their names in the document. Callers need one of them. */
  readonly schemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  /** Returns the scopes or roles that a method requires; undefined if anyone may call it. */
  readonly scopesOf: (method: DescMethod) => readonly string[] | undefined;
}

/** A documented failure of methods. See `Failure` in transcoding/v1/http.proto for its fields. */
export interface DocumentedFailure {
  readonly code: Code;
  readonly reason: string;
  readonly description: string;
}

/** A `POST` request that the service sends to a URL of a client, with a message as its body. */
export interface DocumentedWebhook {
  /** A title, such as `Event`. */
  readonly summary: string;
  /** The description, in CommonMark. */
  readonly description: string;
  /** The service under which the request is listed. It must be one of those documented. */
  readonly service: DescService;
  /** The body, in the JSON of responses. */
  readonly body: DescMessage;
  /** The headers that requests have in addition to `Content-Type`, by name. Default: none. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** The meaning of each response from the client, by status: `204`, or `2XX` for all that begin with 2. */
  readonly responses: Readonly<Record<string, string>>;
}
