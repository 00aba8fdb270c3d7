import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { DomainError, type WebhookEndpointUpdate } from "@calltrack/domain";
import {
  CreateWebhookEndpointResponseSchema,
  ListWebhookDeliveriesResponseSchema,
  ListWebhookEndpointsResponseSchema,
  RotateWebhookEndpointSecretResponseSchema,
  type WebhookDelivery,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { formatEtag } from "../../database/etag.js";
import { requireEtagMatch } from "../../database/etag-condition.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { describeEvents } from "../events/describe-events.js";
import type { EventLog } from "../events/event-log.js";
import { findEvents, listEvents, readEventLogState } from "../events/event-repository.js";
import { formatEventResourceKey } from "../events/event-resources.js";
import { findPositionBefore } from "../events/find-position-before.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { rotateCredentials } from "../phone-systems/phone-system-credentials.js";
import type { PhoneSystemContext } from "../phone-systems/phone-system-view.js";
import {
  insertTestWebhookDelivery,
  isWebhookDeliveryId,
  listWebhookDeliveries,
  resetWebhookDelivery,
  toWebhookDeliveryMessage,
  type WebhookDeliveryRow,
} from "./webhook-delivery-repository.js";
import type { WEBHOOK_ENDPOINT_METHODS } from "./webhook-endpoint-methods.js";
import {
  deleteWebhookEndpoint,
  generateWebhookEndpointId,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  requireActiveWebhookEndpoint,
  requireWebhookEndpoint,
  rewindWebhookEndpoint,
  updateWebhookEndpoint,
} from "./webhook-endpoint-repository.js";
import {
  toWebhookEndpointMessage,
  type WebhookEndpointRow,
  type WebhookEndpointState,
} from "./webhook-endpoint-row.js";
import { issueWebhookSecret } from "./webhook-secret.js";

/** The `inactive_reason` of an endpoint that a request has made inactive. */
const SWITCHED_OFF = "is_active was set to false";

export function createWebhookEndpointService(
  database: DatabaseAccess,
  phoneSystems: PhoneSystemContext,
  { settled }: EventLog,
): ServiceImplementation<typeof WEBHOOK_ENDPOINT_METHODS> {
  const { db } = database;
  const { secrets } = phoneSystems;
  const messageOf = (account: ResolvedAccount | undefined, row: WebhookEndpointRow) =>
    toWebhookEndpointMessage(account, row, secrets);

  async function describe(
    account: ResolvedAccount | undefined,
    rows: readonly WebhookDeliveryRow[],
  ): Promise<WebhookDelivery[]> {
    const { logId } = await readEventLogState(db);
    const positions = rows.map(({ position }) => position);
    const found = await findEvents(db, account?.accountId, positions);
    const events = await describeEvents(database, logId, found, phoneSystems);
    const byPosition = new Map(events.map((event) => [event.position, event]));
    return rows.map((row) => toWebhookDeliveryMessage(row, byPosition.get(row.position)));
  }

  async function describeOne(account: ResolvedAccount | undefined, row: WebhookDeliveryRow): Promise<WebhookDelivery> {
    const [delivery] = await describe(account, [row]);
    return delivery as WebhookDelivery;
  }

  return {
    async createWebhookEndpoint(wanted, { account, key, origin }) {
      const position = await settled.find();
      return createResourceOnce(db, key, async (executor) => {
        const id = await generateWebhookEndpointId(executor);
        const { secret, stored } = issueWebhookSecret(secrets, id);
        const { url, description = null, types, payload, ordered, concurrency, maxAgeSeconds } = wanted;
        const row = await insertWebhookEndpoint(
          executor,
          idOf(account),
          {
            ...{ id, url, description, types, payload, ordered, concurrency, max_age_seconds: maxAgeSeconds },
            secrets: [stored],
          },
          position,
          origin,
        );
        const webhookEndpoint = messageOf(account, row);
        return create(CreateWebhookEndpointResponseSchema, { webhookEndpoint, secret });
      });
    },

    getWebhookEndpoint: async ({ webhookEndpointId }, { account }) =>
      messageOf(account, await requireWebhookEndpoint(db, idOf(account), webhookEndpointId)),

    async listWebhookEndpoints(_, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(String(idOf(account)), async (bounds) => {
        const rows = await listWebhookEndpoints(db, idOf(account), bounds);
        return rows.map((row) => messageOf(account, row));
      });
      return create(ListWebhookEndpointsResponseSchema, { webhookEndpoints: entries, nextPageToken });
    },

    async updateWebhookEndpoint({ webhookEndpointId, ...change }, { account, condition, origin }) {
      const row = await updateWebhookEndpoint(db, idOf(account), webhookEndpointId, origin, (before) => {
        requireEtagMatch(condition, { etag: formatEtag(before.updated_at) });
        return changeEndpoint(before, change);
      });
      return messageOf(account, row);
    },

    async deleteWebhookEndpoint({ webhookEndpointId }, { account, origin }) {
      await deleteWebhookEndpoint(db, idOf(account), webhookEndpointId, origin);
      return create(EmptySchema);
    },

    rotateWebhookEndpointSecret: ({ webhookEndpointId, overlapSeconds }, { account, key, origin }) =>
      createResourceOnce(db, key, async (executor) => {
        let secret = "";
        const row = await updateWebhookEndpoint(executor, idOf(account), webhookEndpointId, origin, (before) => {
          const issued = issueWebhookSecret(secrets, before.id);
          secret = issued.secret;
          return { ...before, secrets: rotateCredentials(before.secrets, issued.stored, overlapSeconds, new Date()) };
        });
        return create(RotateWebhookEndpointSecretResponseSchema, { webhookEndpoint: messageOf(account, row), secret });
      }),

    async resumeWebhookEndpoint({ webhookEndpointId }, { account, origin }) {
      const resume = (before: WebhookEndpointRow) => changeEndpoint(before, { isActive: true });
      return messageOf(account, await updateWebhookEndpoint(db, idOf(account), webhookEndpointId, origin, resume));
    },

    async testWebhookEndpoint({ webhookEndpointId }, { account }) {
      const accountId = idOf(account);
      const { id } = await requireActiveWebhookEndpoint(db, accountId, webhookEndpointId);
      const subject = formatEventResourceKey({
        ...{ account_id: accountId, type: "webhook_endpoint.test", pool_id: null, resource_id: id, number: null },
      });
      const row = await insertTestWebhookDelivery(db, { accountId, id }, subject);
      if (row === undefined) throw new DomainError("WEBHOOK_ENDPOINT_INACTIVE", { webhookEndpointId });
      return describeOne(account, row);
    },

    async listWebhookDeliveries({ webhookEndpointId, status }, { account, readPage }) {
      const accountId = idOf(account);
      const { id } = await requireWebhookEndpoint(db, accountId, webhookEndpointId);
      const { entries, nextPageToken } = await readPage([accountId, id, status].join(), async (bounds) =>
        describe(account, await listWebhookDeliveries(db, { accountId, id }, status, bounds)),
      );
      return create(ListWebhookDeliveriesResponseSchema, { webhookDeliveries: entries, nextPageToken });
    },

    async redeliverWebhookDelivery({ webhookEndpointId, webhookDeliveryId }, { account }) {
      const accountId = idOf(account);
      const { id } = await requireActiveWebhookEndpoint(db, accountId, webhookEndpointId);
      const isKnown = isWebhookDeliveryId(webhookDeliveryId);
      const row = isKnown ? await resetWebhookDelivery(db, { accountId, id }, webhookDeliveryId) : undefined;
      if (row === undefined) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND", { webhookDeliveryId });
      return describeOne(account, row);
    },

    async redeliverWebhookDeliveries({ webhookEndpointId, since }, { account, origin }) {
      const until = await settled.find();
      const after = await findPositionBefore(db, new Date(Number(since / 1000n)), until);
      const range = { after, until, from: since, types: undefined, limit: 1 };
      const [first] = await listEvents(db, account?.accountId, range);
      const position = first === undefined ? until : BigInt(first.position) - 1n;
      const row = await rewindWebhookEndpoint(db, idOf(account), webhookEndpointId, position, origin);
      return messageOf(account, row);
    },
  };
}

/** Webhook endpoints that belong to no account have the account id 0. */
function idOf(account: ResolvedAccount | undefined): number {
  return account?.accountId ?? ABSENT_ACCOUNT_ID;
}

/** Returns the state of a webhook endpoint after an update. */
function changeEndpoint(
  before: WebhookEndpointRow,
  change: Partial<Omit<WebhookEndpointUpdate, "account" | "webhookEndpointId">>,
): WebhookEndpointState {
  const isActive = change.isActive ?? before.is_active;
  return {
    url: change.url ?? before.url,
    // An empty string removes the description.
    description: (change.description ?? before.description) || null,
    types: change.types ?? before.types,
    payload: change.payload ?? before.payload,
    ordered: change.ordered ?? before.ordered,
    concurrency: change.concurrency ?? before.concurrency,
    max_age_seconds: change.maxAgeSeconds ?? before.max_age_seconds,
    secrets: before.secrets,
    is_active: isActive,
    inactive_reason: isActive ? null : (before.inactive_reason ?? SWITCHED_OFF),
  };
}
