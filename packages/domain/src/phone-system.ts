import type { AllowedDestinations } from "./destination.js";
import { FieldCheck } from "./field-check.js";
import {
  PhoneSystemCapability as CapabilityEnum,
  type CheckPhoneSystemRequest,
  type CreatePhoneSystemRequest,
  type GetPhoneSystemRequest,
  PhoneSystemKind as KindEnum,
  type ListPhoneSystemsRequest,
  type RotatePhoneSystemCredentialsRequest,
  type UpdatePhoneSystemRequest,
} from "./gen/calltracking/v1/phone_system_pb.js";
import { findOverlapSecondsProblem } from "./overlap-seconds.js";
import { parsePagination } from "./pagination.js";
import { findSecretRequestIdProblem, parseRequestId } from "./request-id.js";
import { findSipHostProblem } from "./sip-uri.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findLookupKeyProblem, findNameProblem } from "./text.js";
import { UUID_PATTERN } from "./uuid.js";

/** The kind of a phone system: the protocol of its webhooks. */
export type PhoneSystemKind = "twilio" | "signalwire" | "telnyx" | "sip";

/** Something that a phone system can do, beyond connecting calls. */
export type PhoneSystemCapability = "prompt" | "whisper" | "recording";

/** The properties of a phone system that determine what happens to the calls at this phone system. */
export interface PhoneSystemRules extends AllowedDestinations {
  readonly id: string;
  readonly kind: PhoneSystemKind;
  /** The number that the phone system dials if the destination of a call is unknown, in E.164 format. */
  readonly fallbackNumber: string;
  /** The country calling code of the national numbers that the phone system sends, without plus sign; undefined if it sends only E.164 format. */
  readonly countryCode: string | undefined;
  /**
   * The prefix of the national numbers that the phone system sends. Numbers in E.164 format do not contain the prefix. Undefined if there is none.
   */
  readonly trunkPrefix: string | undefined;
  readonly capabilities: ReadonlySet<PhoneSystemCapability>;
}

const MAX_NAME_LENGTH = 100;
const MAX_PREFIXES = 100;
const MAX_HOSTS = 100;
const DEFAULT_OVERLAP_SECONDS = 86_400;

const KINDS = new Map<KindEnum, PhoneSystemKind>([
  [KindEnum.TWILIO, "twilio"],
  [KindEnum.SIGNALWIRE, "signalwire"],
  [KindEnum.TELNYX, "telnyx"],
  [KindEnum.SIP, "sip"],
]);

const CAPABILITIES = new Map<CapabilityEnum, PhoneSystemCapability>([
  [CapabilityEnum.PROMPT, "prompt"],
  [CapabilityEnum.WHISPER, "whisper"],
  [CapabilityEnum.RECORDING, "recording"],
]);

/** Throws DomainError `FIELD_INVALID`, whose message contains none of the secrets in the request. */
export function parseCreatePhoneSystemRequest(request: CreatePhoneSystemRequest) {
  const check = new FieldCheck();
  const kind = KINDS.get(request.kind ?? KindEnum.UNSPECIFIED);
  check.required("name", request.name, findPhoneSystemNameProblem);
  check.required("kind", request.kind, () => (kind ? undefined : "must be twilio, signalwire, telnyx or sip"));
  checkAccountSid(check, kind, request.accountSid);
  if (kind !== undefined) checkSecrets(check, kind, request);
  if (kind !== undefined && request.capabilities.length > 0) check.report("capabilities", findCapabilityProblem(kind));
  return check.done({
    name: request.name as string,
    kind: kind as PhoneSystemKind,
    /** Undefined for kinds of phone systems that have no account id. */
    accountSid: request.accountSid,
    /** Undefined for `sip`, for which the service generates an API key. */
    secret: request.secret,
    sharedKey: request.sharedKey,
    fallbackNumber: check.required("fallback_number", request.fallbackNumber, findPhoneNumberProblem),
    countryCode: check.optional("country_code", request.countryCode, findCountryCodeProblem),
    trunkPrefix: check.optional("trunk_prefix", request.trunkPrefix, (prefix) =>
      request.countryCode === undefined ? "requires country_code" : findShortDigitsProblem(prefix),
    ),
    /** The prefixes of numbers that may be dialed, without duplicates; empty if the default prefixes apply. */
    allowedPrefixes: readPrefixes(check, request.allowedPrefixes),
    /** The hosts of SIP URIs that may be dialed, without duplicates, in lower case. */
    allowedSipHosts: readSipHosts(check, request.allowedSipHosts),
    /** The capabilities of a PBX, without duplicates; empty for providers, which have all capabilities. */
    capabilities: readCapabilities(check, request.capabilities),
    requestId: parseRequestId(check, request, findSecretRequestIdProblem),
  });
}

/** Accepts an id that is not a UUID, although no phone system has such an id. Throws DomainError `FIELD_INVALID`. */
export function parsePhoneSystemId(request: GetPhoneSystemRequest | CheckPhoneSystemRequest) {
  const check = new FieldCheck();
  return check.done({ phoneSystemId: check.required("phone_system_id", request.phoneSystemId, findLookupKeyProblem) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListPhoneSystemsRequest(request: ListPhoneSystemsRequest) {
  const check = new FieldCheck();
  return check.done({ page: parsePagination(check, request) });
}

/** An update of a phone system. A field that is undefined keeps its value. */
export type PhoneSystemUpdate = ReturnType<typeof parseUpdatePhoneSystemRequest>;

/**
 * Checks each field by itself. `requireValidPhoneSystemUpdate` checks the update against the current phone system. Throws DomainError
 * `FIELD_INVALID`.
 */
export function parseUpdatePhoneSystemRequest(request: UpdatePhoneSystemRequest) {
  const check = new FieldCheck();
  const {
    phoneSystemId,
    name,
    fallbackNumber,
    countryCode,
    trunkPrefix,
    allowedPrefixes,
    allowedSipHosts,
    capabilities,
  } = request;
  return check.done({
    phoneSystemId: check.required("phone_system_id", phoneSystemId, findLookupKeyProblem),
    name: check.optional("name", name, findPhoneSystemNameProblem),
    fallbackNumber: check.optional("fallback_number", fallbackNumber, findPhoneNumberProblem),
    /** The new country code; empty to remove the current one. */
    countryCode: check.optional("country_code", countryCode, orEmpty(findCountryCodeProblem)),
    /** The new trunk prefix; empty to remove the current one. */
    trunkPrefix: check.optional("trunk_prefix", trunkPrefix, orEmpty(findShortDigitsProblem)),
    allowedPrefixes: allowedPrefixes && readPrefixes(check, allowedPrefixes.prefixes, "allowed_prefixes.prefixes"),
    allowedSipHosts: allowedSipHosts && readSipHosts(check, allowedSipHosts.hosts, "allowed_sip_hosts.hosts"),
    capabilities: capabilities && readCapabilities(check, capabilities.capabilities, "capabilities.capabilities"),
    isActive: request.isActive,
  });
}

/**
 * Checks an update against the current phone system. Only the kind `sip` has configurable capabilities, and a trunk prefix requires a country code.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function requireValidPhoneSystemUpdate(
  before: {
    readonly kind: PhoneSystemKind;
    readonly countryCode: string | undefined;
    readonly trunkPrefix: string | undefined;
  },
  change: PhoneSystemUpdate,
): void {
  const check = new FieldCheck();
  if (change.capabilities !== undefined) check.report("capabilities", findCapabilityProblem(before.kind));
  const hasCountry = (change.countryCode ?? before.countryCode ?? "") !== "";
  const hasTrunkPrefix = (change.trunkPrefix ?? before.trunkPrefix ?? "") !== "";
  if (hasTrunkPrefix && !hasCountry) {
    if (change.trunkPrefix) check.report("trunk_prefix", "requires country_code");
    else check.report("country_code", "must not be empty if trunk_prefix is set");
  }
  check.done(undefined);
}

/** Does not check the secrets, whose formats depend on the kind: `requireSecretFormats` does. Throws DomainError `FIELD_INVALID`. */
export function parseRotatePhoneSystemCredentialsRequest(request: RotatePhoneSystemCredentialsRequest) {
  const check = new FieldCheck();
  return check.done({
    phoneSystemId: check.required("phone_system_id", request.phoneSystemId, findLookupKeyProblem),
    /** Undefined for `sip`, for which the service generates an API key. */
    secret: request.secret,
    sharedKey: request.sharedKey,
    /** How long the earlier credentials stay valid. */
    overlapSeconds:
      check.optional("overlap_seconds", request.overlapSeconds, findOverlapSecondsProblem) ?? DEFAULT_OVERLAP_SECONDS,
    requestId: parseRequestId(check, request, findSecretRequestIdProblem),
  });
}

/** Requires that secrets have the formats of a kind of phone system. Throws DomainError `FIELD_INVALID`, whose message contains no secret. */
export function requireSecretFormats(kind: PhoneSystemKind, secrets: PhoneSystemSecretFields): void {
  const check = new FieldCheck();
  checkSecrets(check, kind, secrets);
  check.done(undefined);
}

type PhoneSystemSecretFields = Pick<RotatePhoneSystemCredentialsRequest, "secret" | "sharedKey">;

const PRINTABLE = /^[\x21-\x7e]{1,255}$/;
const PRINTABLE_FORMAT = "1 to 255 printable ASCII characters without spaces";

/** The format of the secret for each kind of phone system, and the description of a violation, which never contains the secret. */
const SECRETS: Readonly<Record<Exclude<PhoneSystemKind, "sip">, readonly [format: RegExp, description: string]>> = {
  twilio: [PRINTABLE, `must be the primary auth token: ${PRINTABLE_FORMAT}`],
  signalwire: [PRINTABLE, `must be the signing key: ${PRINTABLE_FORMAT}`],
  // Base64 of 32 bytes. The last character before the padding encodes only four bits, so only these 16 characters are canonical.
  telnyx: [/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, "must be the public key: base64 of 32 bytes"],
};

/** The format of the account id for each kind of phone system that has one, and the description of a violation. */
const ACCOUNT_SIDS: Readonly<Partial<Record<PhoneSystemKind, readonly [format: RegExp, description: string]>>> = {
  twilio: [/^AC[0-9a-f]{32}$/i, "must be the account SID: AC and 32 hexadecimal digits"],
  signalwire: [UUID_PATTERN, "must be the id of the project: a UUID"],
};

function checkAccountSid(check: FieldCheck, kind: PhoneSystemKind | undefined, accountSid: string | undefined): void {
  if (kind === undefined) return;
  const rule = ACCOUNT_SIDS[kind];
  if (rule === undefined) check.optional("account_sid", accountSid, () => `must not be set for ${kind}`);
  else check.required("account_sid", accountSid, (sid) => (rule[0].test(sid) ? undefined : rule[1]));
}

function checkSecrets(check: FieldCheck, kind: PhoneSystemKind, { secret, sharedKey }: PhoneSystemSecretFields): void {
  if (kind === "sip")
    check.optional("secret", secret, () => "must not be set for sip: the service generates the API key");
  else check.required("secret", secret, (text) => (SECRETS[kind][0].test(text) ? undefined : SECRETS[kind][1]));
  check.optional("shared_key", sharedKey, (key) =>
    kind !== "twilio" ? `must not be set for ${kind}` : PRINTABLE.test(key) ? undefined : `must be ${PRINTABLE_FORMAT}`,
  );
}

function readPrefixes(check: FieldCheck, prefixes: readonly string[], field = "allowed_prefixes"): readonly string[] {
  if (prefixes.length > MAX_PREFIXES) check.report(field, `must contain at most ${MAX_PREFIXES} prefixes`);
  prefixes.forEach((prefix, index) => {
    check.required(`${field}[${index}]`, prefix, findPrefixProblem);
  });
  return [...new Set(prefixes)];
}

function readSipHosts(check: FieldCheck, hosts: readonly string[], field = "allowed_sip_hosts"): readonly string[] {
  if (hosts.length > MAX_HOSTS) check.report(field, `must contain at most ${MAX_HOSTS} hosts`);
  hosts.forEach((host, index) => {
    check.required(`${field}[${index}]`, host, findSipHostProblem);
  });
  return [...new Set(hosts.map((host) => host.toLowerCase()))];
}

function readCapabilities(check: FieldCheck, capabilities: readonly CapabilityEnum[], field = "capabilities") {
  return check.names(field, capabilities, CAPABILITIES, "must be prompt, whisper or recording");
}

function findCapabilityProblem(kind: PhoneSystemKind): string | undefined {
  return kind === "sip" ? undefined : `must not be set for ${kind}, which has all capabilities`;
}

function findPhoneSystemNameProblem(name: string): string | undefined {
  return findNameProblem(name, MAX_NAME_LENGTH);
}

/** Creates a rule that accepts an empty text, in addition to the texts that the given rule accepts. */
function orEmpty(rule: (text: string) => string | undefined): (text: string) => string | undefined {
  return (text) => (text === "" ? undefined : rule(text));
}

function findCountryCodeProblem(code: string): string | undefined {
  return code.startsWith("0") ? "must not begin with 0" : findShortDigitsProblem(code);
}

function findShortDigitsProblem(digits: string): string | undefined {
  return /^[0-9]{1,3}$/.test(digits) ? undefined : "must be 1 to 3 digits";
}

function findPrefixProblem(prefix: string): string | undefined {
  return /^\+[1-9][0-9]{0,6}$/.test(prefix) ? undefined : "must be + and 1 to 7 digits, such as +1 or +4930";
}
