import type { DescMethod } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";
import type { OpenApiInfo, OpenApiSecurityScheme } from "./openapi-document.js";

/**
 * What `openapi` is told beside the services. The options that it shares with `createTranscoder` must be the same there, so
 * that the document is true to what is served.
 */
export interface OpenApiOptions
  extends Pick<TranscoderOptions, "basePath" | "rules" | "unsupported" | "json" | "errors" | "maxTimeoutMs"> {
  readonly info: OpenApiInfo;
  /** The most bytes of a request body, or those of each method where registrations set their own. Default: 4 MiB. */
  readonly readMaxBytes?: number | ((method: DescMethod) => number);
  /**
   * The protos with their comments, which generated code does not have: what `buf build --as-file-descriptor-set` or
   * `protoc --include_source_info --descriptor_set_out` writes. Default: nothing is described.
   */
  readonly protos?: FileDescriptorSet;
  /**
   * What a method may fail with beside what the library refuses and the method's own option says, such as the errors of
   * interceptors. Default: nothing.
   */
  readonly failures?: (method: DescMethod) => readonly DocumentedFailure[];
  /** Who may call what. Default: the document says nothing of it. */
  readonly security?: OpenApiSecurity;
}

/** Who may call what. */
export interface OpenApiSecurity {
  /** The ways in which callers say who they are, any one of which will do, by names for the document. */
  readonly schemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  /** The scopes or roles that a caller of the method must have; undefined where anyone may call it. */
  readonly scopesOf: (method: DescMethod) => readonly string[] | undefined;
}

/** A way in which methods fail: the `Failure` of transcoding/v1/http.proto, which says what its fields are. */
export interface DocumentedFailure {
  readonly code: Code;
  readonly reason: string;
  readonly description: string;
}
