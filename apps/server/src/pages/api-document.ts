import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { API_SERVICES, type DomainErrorReason } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { EventSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import {
  type DocumentedFailure,
  type DocumentedWebhook,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  openapi,
} from "@calltrack/transcoding/openapi";
import { createOpenApiSecurity, listDocumentedAuthFailures } from "../access/documented-access.js";
import { computeMaxBodyBytes, requireMethodAccessRule } from "../api/method-catalog.js";
import type { Config } from "../config/config.js";
import { readReleaseVersion } from "../config/release-version.js";
import { createJsonTranscodingOptions } from "../errors/json-transcoding-options.js";
import { RPC_ERROR_TEMPLATES_BY_REASON } from "../errors/wire-error.js";
import { readPackageFile } from "./package-file.js";

export type ApiDocumentConfig = Pick<Config, "basePath" | "auth" | "limits">;

/** Creates the OpenAPI 3.1 document of the JSON API, with the configured base path and authentication methods. */
export function createApiDocument(config: ApiDocumentConfig): OpenApiDocument {
  const { auth } = config;
  const document = openapi(SERVICES, {
    ...createJsonTranscodingOptions(config),
    readMaxBytes: (method) => computeMaxBodyBytes(method, config.limits.maxBodyBytes),
    info: {
      title: "Calltrack API",
      version: readReleaseVersion(),
      contact: { name: "the operator of this server" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    protos: readProtos(),
    failures: (method) => [
      ...FAILURES,
      ...(method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? [] : [OUTCOME_UNKNOWN]),
      ...(auth ? listDocumentedAuthFailures(auth, requireMethodAccessRule(method)) : []),
    ],
    ...(auth && { security: createOpenApiSecurity(auth, requireMethodAccessRule) }),
    webhooks: { event: EVENT_WEBHOOK },
  });
  return { ...document, info: { ...document.info, description: describe(document) }, security: [] };
}

/** The services in an order in which each example needs only resources from earlier examples. For example, a pool needs a phone number. */
const SERVICES = new Set([AccountService, PhoneNumberService, InventoryService, ...API_SERVICES]);

/** The errors that every method can return. */
const FAILURES = [
  failure("UNAVAILABLE", "the service cannot reach its database"),
  failure("OVERLOADED", "the server is overloaded; `Retry-After` says when to retry"),
  failure("RATE_LIMIT_EXCEEDED", "the caller or its address exceeded a rate limit; `Retry-After` says when to retry"),
];

/** An additional error that methods with side effects can return. */
const OUTCOME_UNKNOWN = failure(
  "OUTCOME_UNKNOWN",
  "the connection to the database was lost, so it is unknown whether the change was made",
);

/** Documents the request that Calltrack sends to webhook endpoints. */
const EVENT_WEBHOOK: DocumentedWebhook = {
  summary: "Event",
  description: `Sends an event to a webhook endpoint, as specified by [Standard Webhooks](https://www.standardwebhooks.com). Verify the
signature, and respond within 15 seconds. If the response has no status from 200 to 299, Calltrack sends the request again later with the same
\`webhook-id\`. A webhook endpoint with the payload \`thin\` receives the event without its resource.`,
  service: WebhookEndpointService,
  body: EventSchema,
  headers: {
    "webhook-id": {
      description: "The id of the event. It is the same in every attempt.",
      example: "5c1b7a3e-9d20-8f4a-b6c8-0e2f4a6b8c1d",
    },
    "webhook-timestamp": {
      description:
        "When the request was sent, in seconds since the Unix epoch. Reject requests whose timestamp differs by more than 5 minutes from the current time.",
      example: "1795249800",
    },
    "webhook-signature": {
      description: `One or more signatures, separated by spaces. A signature is \`v1,\` followed by the base64 of the HMAC-SHA256 of the id, the timestamp
and the body, joined by dots. The HMAC key is a secret of the webhook endpoint: the part after \`whsec_\`, decoded from base64.`,
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
  },
  responses: {
    "2XX": "The receiver accepts the event. Calltrack does not send it again.",
    410: "The receiver no longer exists. Calltrack disables the webhook endpoint.",
    default:
      "The attempt failed. Calltrack sends the event again later, in up to ten attempts. `Retry-After` delays all requests to the webhook endpoint.",
  },
};

function failure(reason: DomainErrorReason, description: string): DocumentedFailure {
  return { code: RPC_ERROR_TEMPLATES_BY_REASON[reason].code, reason, description };
}

/** Reads the descriptors of the protos with their comments, which the generated code lacks. */
function readProtos() {
  return fromBinary(FileDescriptorSetSchema, readPackageFile("@calltrack/domain/descriptors.binpb"));
}

function describe(document: OpenApiDocument): string {
  const reasons = Array.from(listReasons(document), ([reason, status]) => `- \`${reason}\` (${status})`);
  return `Call tracking for the accounts of a platform: accounts, their phone numbers, and the pools of call trackers that stand in
for those numbers. Create an account first, then register its phone numbers, then create its pools. The same methods are
available over gRPC, gRPC-Web and Connect.

The examples use a separate account, \`api-page-example\`, and numbers that cannot be dialed. Send them in order: on this page, each
example uses the ids of the resources that earlier examples created, even after a reload. If the account, number, pool, call or
webhook endpoint of an example already exists, the example returns it instead of creating another one.

## Requests and responses

Bodies are JSON with the keys documented here; requests may also use lowerCamelCase. An unset field is \`null\` in a
response; in a request, leave it out or send \`null\`. Unknown fields, unknown query parameters and wrong types
are rejected, never ignored. Paths match exactly. Every \`GET\` path also supports \`HEAD\`.

## Lists

Lists are returned whole, or in pages: \`page_size\` sets the maximum page size. Every page except the last has the next page token in the
\`X-Next-Page-Token\` and \`Link\` headers. Send it as \`page_token\` with the same filters.

## Errors

All errors have the same format. An unknown path is \`ROUTE_NOT_FOUND\` (404); a known path with another method is
\`METHOD_NOT_ALLOWED\` (405). The \`reason\` in their \`google.rpc.ErrorInfo\` is stable:

${reasons.toSorted().join("\n")}`;
}

/** Returns every error reason in the responses of the document, with its HTTP status. */
function listReasons({ paths, components }: OpenApiDocument): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item) as OpenApiOperation[])) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const found = "$ref" in response ? components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
      for (const reason of listExamples(found)) reasons.set(reason, status);
    }
  }
  return reasons;
}

function listExamples(response: OpenApiResponse | undefined): readonly string[] {
  return Object.keys(response?.content?.["application/json"]?.examples ?? {});
}
