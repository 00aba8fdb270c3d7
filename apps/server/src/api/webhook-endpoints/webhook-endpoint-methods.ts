import {
  parseCreateWebhookEndpoint,
  parseListWebhookDeliveries,
  parseListWebhookEndpoints,
  parseRedeliverWebhookDeliveries,
  parseRedeliverWebhookDelivery,
  parseRotateWebhookEndpointSecret,
  parseUpdateWebhookEndpoint,
  parseWebhookEndpointId,
} from "@calltrack/domain";
import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { describeMethods } from "../methods/method-row.js";
import { WEBHOOK_DELIVERIES } from "./webhook-delivery-repository.js";
import { WEBHOOK_ENDPOINTS } from "./webhook-endpoint-repository.js";

/** A principal that is bound to an account can administer only the endpoints of that account. */
const ADMINISTERS = { access: { scope: "admin", reach: "account" }, account: "named or all" } as const;

const CHANGES = { ...ADMINISTERS, audits: "webhook_endpoint" } as const;

export const WEBHOOK_ENDPOINT_METHODS = describeMethods(WebhookEndpointService, {
  createWebhookEndpoint: {
    ...CHANGES,
    isIdempotent: true,
    parse: (request, { webhookUrlProblem }) => parseCreateWebhookEndpoint(request, webhookUrlProblem),
  },
  getWebhookEndpoint: { ...ADMINISTERS, parse: parseWebhookEndpointId },
  listWebhookEndpoints: { ...ADMINISTERS, list: WEBHOOK_ENDPOINTS, parse: parseListWebhookEndpoints },
  updateWebhookEndpoint: {
    ...CHANGES,
    isConditional: true,
    parse: (request, { webhookUrlProblem }) => parseUpdateWebhookEndpoint(request, webhookUrlProblem),
  },
  deleteWebhookEndpoint: { ...CHANGES, parse: parseWebhookEndpointId },
  rotateWebhookEndpointSecret: { ...CHANGES, isIdempotent: true, parse: parseRotateWebhookEndpointSecret },
  resumeWebhookEndpoint: { ...CHANGES, parse: parseWebhookEndpointId },
  testWebhookEndpoint: { ...ADMINISTERS, parse: parseWebhookEndpointId },
  listWebhookDeliveries: { ...ADMINISTERS, list: WEBHOOK_DELIVERIES, parse: parseListWebhookDeliveries },
  redeliverWebhookDelivery: { ...ADMINISTERS, parse: parseRedeliverWebhookDelivery },
  redeliverWebhookDeliveries: { ...CHANGES, parse: parseRedeliverWebhookDeliveries },
});
