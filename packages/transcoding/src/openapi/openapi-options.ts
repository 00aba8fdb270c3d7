import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import type { TranscoderOptions } from "../transcoder-options.js";
import type { OpenApiInfo } from "./openapi-document.js";

/**
 * What `openapi` is told beside the services. The options that it shares with `createTranscoder` must be the same there, so
 * that the document is true to what is served.
 */
export interface OpenApiOptions
  extends Pick<TranscoderOptions, "basePath" | "json" | "errors" | "readMaxBytes" | "maxTimeoutMs"> {
  readonly info: OpenApiInfo;
  /**
   * The protos with their comments, which generated code does not have: what `buf build --as-file-descriptor-set` or
   * `protoc --include_source_info --descriptor_set_out` writes. Default: nothing is described.
   */
  readonly protos?: FileDescriptorSet;
  /** What any method may fail with beside what the library refuses, such as the errors of interceptors. Default: none. */
  readonly failures?: readonly DocumentedFailure[];
}

/** A way in which methods fail: the `Failure` of transcoding/v1/http.proto, which says what its fields are. */
export interface DocumentedFailure {
  readonly code: Code;
  readonly reason: string;
  readonly description: string;
}
