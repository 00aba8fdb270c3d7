import type { JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "./schema.js";

/** An OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0). Declares only the properties that the function `openapi` writes. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: OpenApiInfo;
  readonly servers: readonly { readonly url: string }[];
  /** The requirements for operations without `security` of their own. Empty if anyone may call these operations. */
  readonly security?: readonly OpenApiSecurityRequirement[];
  readonly tags: readonly OpenApiTag[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  /** The requests that the service sends to URLs of its clients, keyed by the name of the webhook. */
  readonly webhooks?: Readonly<Record<string, { readonly post: OpenApiWebhook }>>;
  readonly components: OpenApiComponents;
}

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  /** The description of the API, in CommonMark. */
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly termsOfService?: string;
}

/** The scopes or roles that a client needs, keyed by the name of the security scheme. */
export type OpenApiSecurityRequirement = Readonly<Record<string, readonly string[]>>;

export type OpenApiSecurityScheme =
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string; readonly description?: string }
  | { readonly type: "mutualTLS"; readonly description?: string };

/** A service, whose operations have its name as their tag. */
export interface OpenApiTag {
  readonly name: string;
  /** The name of the service that readers of the document see. */
  readonly "x-displayName": string;
  readonly description?: string;
}

/** The HTTP methods for which a path item in OpenAPI 3.1 can have an operation. */
export const OPENAPI_METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

export type OpenApiMethod = (typeof OPENAPI_METHODS)[number];

export type OpenApiPathItem = { readonly [M in OpenApiMethod]?: OpenApiOperation } & {
  /** Operations for other HTTP methods, keyed by method in upper case. OpenAPI supports other methods only from version 3.2 on. */
  readonly "x-additional-operations"?: Readonly<Record<string, OpenApiOperation>>;
};

/** An operation, which documents one binding of an RPC. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** The RPC that the operation calls, such as `library.v1.LibraryService/GetBook`, and an example of its request message in ProtoJSON. */
  readonly "x-rpc": { readonly method: string; readonly example: JsonValue };
  readonly deprecated?: true;
  /** Alternative requirements. A client must satisfy one of them. */
  readonly security?: readonly OpenApiSecurityRequirement[];
  readonly parameters: readonly (OpenApiParameter | OpenApiReference)[];
  readonly requestBody?: OpenApiRequestBody;
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiReference>>;
}

/** A request that the service sends to a URL of a client. */
export type OpenApiWebhook = Omit<OpenApiOperation, "x-rpc">;

export interface OpenApiReference {
  readonly $ref: string;
}

/**
 * A parameter, which has either `schema` or `content`. The schema of a repeated query parameter is a list, with OpenAPI's defaults `style: form` and
 * `explode: true`. A map has the style `deepObject`: it has a parameter for each entry, such as `labels[color]=blue`.
 */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly deprecated?: true;
  readonly description?: string;
  readonly style?: "deepObject";
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, OpenApiMediaType>>;
  readonly example?: JsonValue;
  /** Whether a path parameter can span several segments, with unencoded slashes between the segments. */
  readonly "x-multi-segment"?: true;
}

export interface OpenApiRequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, OpenApiMediaType>>;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenApiHeader>>;
  readonly content?: Readonly<Record<string, OpenApiMediaType>>;
}

export interface OpenApiHeader {
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: JsonValue;
}

export interface OpenApiMediaType {
  readonly schema: Schema;
  readonly example?: JsonValue;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: JsonValue }>>;
}

export interface OpenApiComponents {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly parameters: Readonly<Record<string, OpenApiParameter>>;
  readonly securitySchemes?: Readonly<Record<string, OpenApiSecurityScheme>>;
}
