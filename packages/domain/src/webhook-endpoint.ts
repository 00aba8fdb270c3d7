import { type Duration, durationMs } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { parseEventTypes, readEventTimeField } from "./event.js";
import { FieldCheck, type FieldRule } from "./field-check.js";
import {
  type CreateWebhookEndpointRequest,
  type ListWebhookDeliveriesRequest,
  type ListWebhookEndpointsRequest,
  WebhookPayload as PayloadEnum,
  type RedeliverWebhookDeliveriesRequest,
  type RedeliverWebhookDeliveryRequest,
  type RotateWebhookEndpointSecretRequest,
  WebhookDeliveryStatus as StatusEnum,
  type UpdateWebhookEndpointRequest,
} from "./gen/calltracking/v1/webhook_endpoint_pb.js";
import { findOverlapSecondsProblem } from "./overlap-seconds.js";
import { parsePagination } from "./pagination.js";
import { findSecretRequestIdProblem, parseRequestId } from "./request-id.js";
import { findDescriptionProblem, findLookupKeyProblem } from "./text.js";

/** How much of each event is sent to a webhook endpoint: the event with its resource, or without it. */
export type WebhookPayloadStyle = "full" | "thin";

export type WebhookDeliveryStatus = "waiting" | "delivered" | "dead";

const DAY_SECONDS = 86_400;
const DEFAULT_MAX_AGE_SECONDS = DAY_SECONDS;
const MAX_MAX_AGE_SECONDS = 400 * DAY_SECONDS;
const DEFAULT_CONCURRENCY = 10;
const MAX_CONCURRENCY = 50;
const DEFAULT_OVERLAP_SECONDS = DAY_SECONDS;
const DELIVERIES_PAGE_SIZE = 100;

const PAYLOADS = new Map<PayloadEnum, WebhookPayloadStyle>([
  [PayloadEnum.FULL, "full"],
  [PayloadEnum.THIN, "thin"],
]);

const STATUSES = new Map<StatusEnum, WebhookDeliveryStatus>([
  [StatusEnum.WAITING, "waiting"],
  [StatusEnum.DELIVERED, "delivered"],
  [StatusEnum.DEAD, "dead"],
]);

/**
 * @param urlProblem the rule for the URL, which depends on the settings of the server.
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreateWebhookEndpointRequest(
  request: CreateWebhookEndpointRequest,
  urlProblem: FieldRule<string>,
) {
  const check = new FieldCheck();
  return check.done({
    account: readAccount(check, request),
    url: check.required("url", request.url, urlProblem),
    description: check.optional("description", request.description, findDescriptionProblem),
    /** The event types as the request spells them, such as `call.*`, without duplicates; empty for all types. */
    types: readTypes(check, "types", request.types),
    payload: readPayload(check, request.payload) ?? "full",
    ordered: request.ordered ?? false,
    concurrency: check.optional("concurrency", request.concurrency, findConcurrencyProblem) ?? DEFAULT_CONCURRENCY,
    maxAgeSeconds: readMaxAge(check, request.maxAge) ?? DEFAULT_MAX_AGE_SECONDS,
    requestId: parseRequestId(check, request, findSecretRequestIdProblem),
  });
}

/** An update of a webhook endpoint. A field that is undefined keeps its value. */
export type WebhookEndpointUpdate = ReturnType<typeof parseUpdateWebhookEndpointRequest>;

/**
 * @param urlProblem the rule for the URL, which depends on the settings of the server.
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateWebhookEndpointRequest(
  request: UpdateWebhookEndpointRequest,
  urlProblem: FieldRule<string>,
) {
  const check = new FieldCheck();
  return check.done({
    ...readEndpoint(check, request),
    url: check.optional("url", request.url, urlProblem),
    /** The new description; empty to remove the current one. */
    description: check.optional("description", request.description, findDescriptionProblem),
    types: request.types && readTypes(check, "types.types", request.types.types),
    payload: readPayload(check, request.payload),
    ordered: request.ordered,
    concurrency: check.optional("concurrency", request.concurrency, findConcurrencyProblem),
    maxAgeSeconds: readMaxAge(check, request.maxAge),
    isActive: request.isActive,
  });
}

/** Accepts an id that is not a UUID, although no webhook endpoint has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseWebhookEndpointId(request: EndpointReference) {
  const check = new FieldCheck();
  return check.done(readEndpoint(check, request));
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListWebhookEndpointsRequest(request: ListWebhookEndpointsRequest) {
  const check = new FieldCheck();
  return check.done({ account: readAccount(check, request), page: parsePagination(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseRotateWebhookEndpointSecretRequest(request: RotateWebhookEndpointSecretRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readEndpoint(check, request),
    /** For how many seconds requests are still signed with the earlier secrets. */
    overlapSeconds:
      check.optional("overlap_seconds", request.overlapSeconds, findOverlapSecondsProblem) ?? DEFAULT_OVERLAP_SECONDS,
    requestId: parseRequestId(check, request, findSecretRequestIdProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListWebhookDeliveriesRequest(request: ListWebhookDeliveriesRequest) {
  const check = new FieldCheck();
  const status = check.optional("status", request.status, (value) =>
    STATUSES.has(value) ? undefined : "must be waiting, delivered or dead",
  );
  const { size = DELIVERIES_PAGE_SIZE, token } = parsePagination(check, request);
  return check.done({
    ...readEndpoint(check, request),
    /** Undefined if the request is for deliveries with any status. */
    status: status === undefined ? undefined : STATUSES.get(status),
    page: { size, token },
  });
}

/** Accepts an id that is not a position in the event log, although no delivery has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseRedeliverWebhookDeliveryRequest(request: RedeliverWebhookDeliveryRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readEndpoint(check, request),
    webhookDeliveryId: check.required("webhook_delivery_id", request.webhookDeliveryId, findLookupKeyProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseRedeliverWebhookDeliveriesRequest(request: RedeliverWebhookDeliveriesRequest) {
  const check = new FieldCheck();
  /** In microseconds since 1970. */
  const since = readEventTimeField(check, "since", request.since);
  if (since === undefined) check.required("since", request.since, () => undefined);
  return check.done({ ...readEndpoint(check, request), since: since as bigint });
}

interface AccountReference {
  readonly accountId?: string | undefined;
}

interface EndpointReference extends AccountReference {
  readonly webhookEndpointId?: string | undefined;
}

/** Returns undefined if the request is for webhook endpoints that belong to no account. */
function readAccount(check: FieldCheck, request: AccountReference): string | undefined {
  return request.accountId === undefined ? undefined : parseAccountReference(check, request);
}

function readEndpoint(check: FieldCheck, request: EndpointReference) {
  return {
    account: readAccount(check, request),
    webhookEndpointId: check.required("webhook_endpoint_id", request.webhookEndpointId, findLookupKeyProblem),
  };
}

function readTypes(check: FieldCheck, field: string, types: readonly string[]): readonly string[] {
  parseEventTypes(check, field, types);
  return [...new Set(types)];
}

function readPayload(check: FieldCheck, payload: PayloadEnum | undefined): WebhookPayloadStyle | undefined {
  check.optional("payload", payload, (value) => (PAYLOADS.has(value) ? undefined : "must be full or thin"));
  return payload === undefined ? undefined : PAYLOADS.get(payload);
}

function readMaxAge(check: FieldCheck, maxAge: Duration | undefined): number | undefined {
  const seconds = maxAge && Math.floor(durationMs(maxAge) / 1000);
  return check.optional("max_age", seconds, (value) =>
    value >= 1 && value <= MAX_MAX_AGE_SECONDS ? undefined : "must be between 1 second and 400 days",
  );
}

function findConcurrencyProblem(concurrency: number): string | undefined {
  return concurrency >= 1 && concurrency <= MAX_CONCURRENCY ? undefined : `must be between 1 and ${MAX_CONCURRENCY}`;
}
