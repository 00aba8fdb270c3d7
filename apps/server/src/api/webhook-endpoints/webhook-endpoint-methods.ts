import {
  parseCreateWebhookEndpointRequest,
  parseListWebhookDeliveriesRequest,
  parseListWebhookEndpointsRequest,
  parseRedeliverWebhookDeliveriesRequest,
  parseRedeliverWebhookDeliveryRequest,
  parseRotateWebhookEndpointSecretRequest,
  parseUpdateWebhookEndpointRequest,
  parseWebhookEndpointId,
} from "@calltrack/domain";
import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { declareMethodRows } from "../methods/method-row.js";
import { WEBHOOK_DELIVERY_PAGED_LIST } from "./webhook-delivery-repository.js";
import { WEBHOOK_ENDPOINT_PAGED_LIST } from "./webhook-endpoint-repository.js";

/** A principal that is bound to an account can administer only the endpoints of that account. */
const ADMINISTERS = { access: { scope: "admin", reach: "account" }, account: "named or all" } as const;

const CHANGES = { ...ADMINISTERS, audits: "webhook_endpoint" } as const;

export const WEBHOOK_ENDPOINT_METHODS = declareMethodRows(WebhookEndpointService, {
  createWebhookEndpoint: {
    ...CHANGES,
    isIdempotent: true,
    parse: (request, { findWebhookUrlProblem }) => parseCreateWebhookEndpointRequest(request, findWebhookUrlProblem),
  },
  getWebhookEndpoint: { ...ADMINISTERS, parse: parseWebhookEndpointId },
  listWebhookEndpoints: { ...ADMINISTERS, list: WEBHOOK_ENDPOINT_PAGED_LIST, parse: parseListWebhookEndpointsRequest },
  updateWebhookEndpoint: {
    ...CHANGES,
    isConditional: true,
    parse: (request, { findWebhookUrlProblem }) => parseUpdateWebhookEndpointRequest(request, findWebhookUrlProblem),
  },
  deleteWebhookEndpoint: { ...CHANGES, parse: parseWebhookEndpointId },
  rotateWebhookEndpointSecret: { ...CHANGES, isIdempotent: true, parse: parseRotateWebhookEndpointSecretRequest },
  resumeWebhookEndpoint: { ...CHANGES, parse: parseWebhookEndpointId },
  testWebhookEndpoint: { ...ADMINISTERS, parse: parseWebhookEndpointId },
  listWebhookDeliveries: {
    ...ADMINISTERS,
    list: WEBHOOK_DELIVERY_PAGED_LIST,
    parse: parseListWebhookDeliveriesRequest,
  },
  redeliverWebhookDelivery: { ...ADMINISTERS, parse: parseRedeliverWebhookDeliveryRequest },
  redeliverWebhookDeliveries: { ...CHANGES, parse: parseRedeliverWebhookDeliveriesRequest },
});
