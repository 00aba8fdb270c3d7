import { Code } from "@connectrpc/connect";
import { createErrorResponseEncoder, type ErrorResponseEncoder } from "../endpoints/error-response.js";
import { DEFAULT_READ_MAX_BYTES } from "../http/read-body.js";
import type { HttpRule } from "../rules/http-rule.js";
import { createWeakCache } from "../values/weak-cache.js";
import { addErrorSchemas, ERROR_SCHEMA } from "./error-schema.js";
import { createMethodFailure, listRequestRejections, type MethodFailure } from "./method-failures.js";
import type { OpenApiReference, OpenApiResponse } from "./openapi-document.js";
import type { DocumentedFailure, OpenApiOptions } from "./openapi-options.js";
import { toPascalCase } from "./operation-ids.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";

/** The failures that every method can have. */
const ANY: readonly DocumentedFailure[] = [
  {
    code: Code.DeadlineExceeded,
    reason: "DEADLINE_EXCEEDED",
    description: "the client's timeout expired before the response was ready",
  },
  { code: Code.Internal, reason: "INTERNAL", description: "the server failed, and the request is not the cause" },
];

type ErrorResponseOptions = Pick<OpenApiOptions, "errors" | "failures" | "json" | "readMaxBytes">;

interface EncodedFailure extends MethodFailure {
  readonly body: string;
  /** Whether the `transcoding.v1.http` option of the method declares the failure. If false, several methods can share the response. */
  readonly isOwn: boolean;
}

/** Creates the error responses of an OpenAPI document, which all have the same schema. A response that several methods have becomes a component. */
export class ErrorResponses {
  /** The schema of the last record of a stream that ends with an error. */
  readonly recordSchema: Schema;
  readonly #components: Record<string, OpenApiResponse>;
  readonly #encoder: ErrorResponseEncoder;
  readonly #options: ErrorResponseOptions;
  readonly #document: (failure: DocumentedFailure) => MethodFailure;

  constructor(
    options: ErrorResponseOptions,
    comments: ProtoComments,
    components: { readonly schemas: Record<string, Schema>; readonly responses: Record<string, OpenApiResponse> },
  ) {
    const { errors = {}, json = {} } = options;
    this.#options = options;
    this.#document = createWeakCache((failure) => createMethodFailure(failure, errors.domain ?? ""));
    this.#encoder = createErrorResponseEncoder(errors, undefined, json);
    this.#components = components.responses;
    this.recordSchema = addErrorSchemas(errors.shape, json, comments, components.schemas);
  }

  createResponses(rule: HttpRule): Readonly<Record<string, OpenApiResponse | OpenApiReference>> {
    // The cast is valid, because google.rpc.Code and Connect's Code have the same numbers.
    const own = (rule.response?.failures ?? []).map((each) => this.#document(each as unknown as DocumentedFailure));
    const { readMaxBytes = DEFAULT_READ_MAX_BYTES } = this.#options;
    const maxBytes = typeof readMaxBytes === "number" ? readMaxBytes : readMaxBytes(rule.rpc);
    const byStatus = new Map<number, EncodedFailure[]>();
    for (const failure of [...listRequestRejections(rule, maxBytes), ...own, ...this.#listCommon(rule)]) {
      const { status, body } = this.#encoder.encode(failure.error, undefined, rule.rpc);
      byStatus.set(status, [
        ...(byStatus.get(status) ?? []),
        { ...failure, body: String(body), isOwn: own.includes(failure) },
      ]);
    }
    return Object.fromEntries(
      Array.from(byStatus, ([status, failures]) => {
        const response = this.#createResponse(failures);
        return [status, failures.some(({ isOwn }) => isOwn) ? response : this.#share(failures, response)];
      }),
    );
  }

  /** Lists the failures that the method has in common with other methods. */
  #listCommon({ rpc }: HttpRule): readonly MethodFailure[] {
    const given = this.#options.failures?.(rpc) ?? [];
    const known = new Set(given.map(({ reason }) => reason));
    return [...given, ...ANY.filter(({ reason }) => !known.has(reason))].map((each) => this.#document(each));
  }

  /** Adds the response to the components, and returns a reference to it. If a different component has the same name, returns the response itself. */
  #share([first]: readonly MethodFailure[], response: OpenApiResponse): OpenApiResponse | OpenApiReference {
    const name = toPascalCase(first?.reason.toLowerCase() ?? "");
    this.#components[name] ??= response;
    const isSame = JSON.stringify(this.#components[name]) === JSON.stringify(response);
    return isSame ? { $ref: `#/components/responses/${name}` } : response;
  }

  #createResponse(failures: readonly EncodedFailure[]): OpenApiResponse {
    const lines = failures.map(({ reason, description }) => `\`${reason}\`: ${description}.`);
    const examples = failures.map(({ reason, description, body }) => [
      reason,
      { summary: description, value: JSON.parse(body) },
    ]);
    return {
      description: lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join("\n"),
      content: { "application/json": { schema: ERROR_SCHEMA, examples: Object.fromEntries(examples) } },
    };
  }
}
