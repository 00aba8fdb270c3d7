import type { JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "./schema.js";

/** An OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), limited to the parts that `openapi` uses. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: OpenApiInfo;
  readonly servers: readonly { readonly url: string }[];
  /** The default for operations without `security`. Empty if anyone may call them. */
  readonly security?: readonly OpenApiSecurityRequirement[];
  readonly tags: readonly OpenApiTag[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  /** The requests that the service sends, by name. */
  readonly webhooks?: Readonly<Record<string, { readonly post: OpenApiWebhook }>>;
  readonly components: OpenApiComponents;
}

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  /** The description, in CommonMark. */
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly termsOfService?: string;
}

/** Required scopes or roles, by the name of the security scheme. */
export type OpenApiSecurityRequirement = Readonly<Record<string, readonly string[]>>;

export type OpenApiSecurityScheme =
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string; readonly description?: string }
  | { readonly type: "mutualTLS"; readonly description?: string };

/** A service. */
export interface OpenApiTag {
  readonly name: string;
  /** The name that people see. */
  readonly "x-displayName": string;
  readonly description?: string;
}

/** The HTTP methods of a path item in OpenAPI 3.1 that rules can have. */
export const OPENAPI_METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

export type OpenApiMethod = (typeof OPENAPI_METHODS)[number];

export type OpenApiPathItem = { readonly [M in OpenApiMethod]?: OpenApiOperation } & {
  /** Operations of other methods, by method in upper case. OpenAPI supports them only from version 3.2. */
  readonly "x-additional-operations"?: Readonly<Record<string, OpenApiOperation>>;
};

/** An operation, for one binding of an RPC. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** The operation's RPC, such as `library.v1.LibraryService/GetBook`, and an example of its request in ProtoJSON. */
  readonly "x-rpc": { readonly method: string; readonly example: JsonValue };
  readonly deprecated?: true;
  /** Alternative requirements: a caller must satisfy one of them. */
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
 * A parameter, with either a schema or a content. Repeated query parameters are lists: `style: form` with `explode`, the
 * defaults. Maps are deep objects, with a parameter for each entry: `labels[color]=blue`.
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
  /** Whether a path parameter spans several segments, with unencoded slashes between them. */
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
