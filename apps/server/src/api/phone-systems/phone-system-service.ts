import { create } from "@bufbuild/protobuf";
import {
  CheckPhoneSystemResponseSchema,
  CreatePhoneSystemResponseSchema,
  ListPhoneSystemsResponseSchema,
  type PhoneSystemFinding,
  RotatePhoneSystemCredentialsResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { formatEtag } from "../../database/etag.js";
import { requireEtagMatch } from "../../database/etag-condition.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { issuePhoneSystemCredential, rotateCredentials } from "./phone-system-credentials.js";
import type { PHONE_SYSTEM_METHODS } from "./phone-system-methods.js";
import {
  generatePhoneSystemId,
  insertPhoneSystem,
  listPhoneSystems,
  loadStoredPhoneSystem,
  requirePhoneSystem,
  updatePhoneSystem,
} from "./phone-system-repository.js";
import type { StoredPhoneSystem } from "./phone-system-row.js";
import { applyPhoneSystemUpdate } from "./phone-system-update.js";
import { type PhoneSystemContext, toPhoneSystemMessage } from "./phone-system-view.js";
import { createPoolSettingNotices } from "./pool-notices.js";
import { findPublicUrlProblem } from "./public-url-problem.js";
import { requireNoTrackingNumber } from "./require-no-tracking-number.js";

/** The dependencies of PhoneSystemService besides the database. */
export interface PhoneSystemDependencies extends PhoneSystemContext {
  /** Calls the webhooks of a phone system as the phone system would, and returns the findings. */
  check(phoneSystem: StoredPhoneSystem): Promise<PhoneSystemFinding[]>;
}

export function createPhoneSystemService(
  { db }: DatabaseAccess,
  parts: PhoneSystemDependencies,
): ServiceImplementation<typeof PHONE_SYSTEM_METHODS> {
  const { secrets } = parts;
  return {
    createPhoneSystem: (wanted, { key, origin }) =>
      createResourceOnce(db, key, async (executor) => {
        await requireNoTrackingNumber(executor, wanted.fallbackNumber);
        const id = await generatePhoneSystemId(executor);
        const { credential, apiKey } = issuePhoneSystemCredential(
          secrets,
          { id, kind: wanted.kind },
          wanted,
          new Date(),
        );
        const row = await insertPhoneSystem(
          executor,
          {
            ...{ id, name: wanted.name, kind: wanted.kind, credentials: [credential] },
            account_sid: wanted.accountSid ?? null,
            fallback_number: wanted.fallbackNumber,
            country_code: wanted.countryCode ?? null,
            trunk_prefix: wanted.trunkPrefix ?? null,
            allowed_prefixes: wanted.allowedPrefixes,
            allowed_sip_hosts: wanted.allowedSipHosts,
            capabilities: wanted.capabilities,
          },
          origin,
        );
        const problem = findPublicUrlProblem(wanted.kind, parts.publicUrl);
        const notices = [...(problem === undefined ? [] : [problem]), ...(await createPoolSettingNotices(executor))];
        return create(CreatePhoneSystemResponseSchema, {
          phoneSystem: toPhoneSystemMessage(row, parts),
          apiKey,
          notices,
        });
      }),

    getPhoneSystem: async ({ phoneSystemId }) =>
      toPhoneSystemMessage(await requirePhoneSystem(db, phoneSystemId), parts),

    async listPhoneSystems(_, { readPage }) {
      const { entries, nextPageToken } = await readPage("", async (bounds) => {
        const rows = await listPhoneSystems(db, bounds);
        return rows.map((row) => toPhoneSystemMessage(row, parts));
      });
      return create(ListPhoneSystemsResponseSchema, { phoneSystems: entries, nextPageToken });
    },

    async updatePhoneSystem(change, { condition, origin }) {
      const { phoneSystemId, fallbackNumber } = change;
      if (fallbackNumber !== undefined) await requireNoTrackingNumber(db, fallbackNumber);
      const row = await updatePhoneSystem(db, phoneSystemId, origin, (before) => {
        requireEtagMatch(condition, { etag: formatEtag(before.updated_at) });
        return applyPhoneSystemUpdate(before, change);
      });
      return toPhoneSystemMessage(row, parts);
    },

    rotatePhoneSystemCredentials: ({ phoneSystemId, overlapSeconds, ...given }, { key, origin }) =>
      createResourceOnce(db, key, async (executor) => {
        let apiKey: string | undefined;
        const row = await updatePhoneSystem(executor, phoneSystemId, origin, (before) => {
          const now = new Date();
          const issued = issuePhoneSystemCredential(secrets, before, given, now);
          apiKey = issued.apiKey;
          const credentials = rotateCredentials(before.credentials, issued.credential, overlapSeconds, now);
          return { ...before, credentials };
        });
        return create(RotatePhoneSystemCredentialsResponseSchema, {
          phoneSystem: toPhoneSystemMessage(row, parts),
          apiKey,
        });
      }),

    async checkPhoneSystem({ phoneSystemId }) {
      const phoneSystem = await loadStoredPhoneSystem(db, await requirePhoneSystem(db, phoneSystemId));
      return create(CheckPhoneSystemResponseSchema, { findings: await parts.check(phoneSystem) });
    },
  };
}
