import { parseUuid } from "@calltrack/domain";
import { getTargetPath, RequestError, readBodyBytes } from "@calltrack/transcoding";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { Config } from "../config/config.js";
import { createHttpError } from "../errors/http-errors.js";
import { RETRY_AFTER_S } from "../errors/wire-error.js";
import type { PageHandler } from "../http/page-handler.js";
import { LogLineLimit } from "../observability/log-line-limit.js";
import type { PhoneSystemDirectory } from "./phone-system-directory.js";
import type { TelephonyMetrics } from "./telephony-metrics.js";
import { WebhookDeadline } from "./webhook-deadline.js";
import type { WebhookHandler } from "./webhook-handler.js";
import { createWebhookRequest, WEBHOOK_NAMES, type WebhookName, type WebhookRequest } from "./webhook-request.js";

export interface WebhookRouterDependencies {
  readonly config: Pick<Config, "basePath" | "publicUrl">;
  readonly directory: PhoneSystemDirectory;
  readonly handler: WebhookHandler;
  readonly metrics: Pick<TelephonyMetrics, "answered" | "rejected">;
  readonly log: Logger;
}

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

const UNKNOWN = "unknown";

const MAX_FORM_BYTES = 64 * 1024;

/** Logs one rejected request a minute for each phone system and reason. */
const REJECTION_LINES = new LogLineLimit(1);

/**
 * Creates a function that returns the handler for the target of a webhook request: `/telephony/:phone_system_id/:page` under the base path. The
 * function returns undefined for other targets. Until a request is authenticated, its only access to the database is the lookup of its phone system.
 */
export function createWebhookRouter(parts: WebhookRouterDependencies): (target: string) => PageHandler | undefined {
  const { config, directory, handler, metrics, log } = parts;
  const { basePath, publicUrl } = config;
  const prefix = `${basePath}/telephony/`;

  async function serve(request: NodeRequest, id: string, page: WebhookName, url: string): Promise<void> {
    const body = await readForm(request);
    if (body === undefined) return ERRORS.tooLarge.answer(request);
    const deadline = new WebhookDeadline();
    const webhook = createWebhookRequest(page, url, body, (name) => request.header(name));
    const authenticated = await authenticate(id, webhook, deadline);
    if (authenticated === "unavailable") return ERRORS.unavailable.answer(request);
    if (authenticated === undefined) return ERRORS.notAuthentic.answer(request);
    const response = await handler.answer(authenticated, webhook, deadline);
    if (response === undefined) return ERRORS.notFound.answer(request);
    const { status, contentType, body: text } = response;
    metrics.answered(id, page, deadline.seconds);
    request.respond(status, { "cache-control": "no-store", ...(contentType && { "content-type": contentType }) }, text);
  }

  /** Looks up the phone system again before rejecting a request, because its credentials may have changed. */
  async function authenticate(id: string, webhook: WebhookRequest, deadline: WebhookDeadline) {
    const known = await directory.find(id, webhook.body.length, deadline).catch(() => "unavailable" as const);
    if (known === "unavailable") return known;
    const problem = problemOf(known, webhook);
    if (problem === undefined) return known;
    const again = known && (await directory.findAgain(id, webhook.body.length, deadline));
    const lastProblem = again === undefined ? problem : problemOf(again, webhook);
    if (lastProblem === undefined) return again;
    reject(known === undefined ? undefined : id, webhook.page, lastProblem);
    return undefined;
  }

  /** Logs requests for unknown phone systems at `debug`, because strangers may send thousands of them. */
  function reject(id: string | undefined, page: WebhookName, reason: string): void {
    metrics.rejected(id ?? UNKNOWN);
    const level = id === undefined ? "debug" : REJECTION_LINES.levelOf(log, `${id} ${reason}`, "warn");
    log[level]({ phone_system: id, page, reason }, "rejected a request from a phone system");
  }

  function problemOf(phoneSystem: StoredPhoneSystem | undefined, webhook: WebhookRequest): string | undefined {
    if (phoneSystem === undefined) return "the phone system does not exist";
    if (!phoneSystem.isActive) return "the phone system is disabled";
    return handler.findProblem(phoneSystem, webhook);
  }

  function answer(request: NodeRequest, id: string, page: WebhookName): Promise<void> | void {
    const { target, method } = request;
    if (publicUrl === undefined) return ERRORS.noPublicUrl.answer(request);
    if (method !== "POST") return ERRORS.method.answer(request);
    const isPlain = request.header("content-encoding") === undefined;
    if (!isPlain || !FORM.test(request.header("content-type") ?? "")) return ERRORS.contentType.answer(request);
    return serve(request, id, page, publicUrl + target.slice(basePath.length));
  }

  return (target) => {
    if (!target.startsWith(prefix)) return undefined;
    const [idText = "", name, ...rest] = getTargetPath(target).slice(prefix.length).split("/");
    const id = parseUuid(idText);
    const page = WEBHOOK_NAMES.find((each) => each === name);
    if (id === undefined || page === undefined || rest.length > 0) return undefined;
    return (request) => answer(request, id, page);
  };
}

/** Returns the body of a webhook request; undefined if it is too large. */
async function readForm(request: NodeRequest): Promise<Uint8Array | undefined> {
  try {
    return await readBodyBytes(request, MAX_FORM_BYTES);
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

const ERRORS = {
  noPublicUrl: createHttpError(
    503,
    Code.Unavailable,
    "PUBLIC_URL_MISSING",
    "the server does not know the URL by which phone systems reach it: set PUBLIC_URL",
  ),
  method: createHttpError(
    405,
    Code.Unimplemented,
    "METHOD_NOT_ALLOWED",
    "webhooks accept only POST: set the method to POST in the phone system",
    undefined,
    { allow: "POST" },
  ),
  contentType: createHttpError(
    415,
    Code.InvalidArgument,
    "CONTENT_TYPE_UNSUPPORTED",
    "webhooks accept only the content type application/x-www-form-urlencoded, without a content coding",
  ),
  tooLarge: createHttpError(
    413,
    Code.InvalidArgument,
    "BODY_TOO_LARGE",
    `the body of a webhook request must be at most ${MAX_FORM_BYTES} bytes`,
  ),
  unavailable: createHttpError(
    503,
    Code.Unavailable,
    "DATABASE_UNAVAILABLE",
    "the phone system cannot be looked up, because the database does not respond: try again later",
    undefined,
    { "retry-after": String(RETRY_AFTER_S) },
  ),
  notAuthentic: createHttpError(
    403,
    Code.PermissionDenied,
    "WEBHOOK_REJECTED",
    "the request is not authentic, or its phone system is unknown or disabled: see the server's log",
  ),
  notFound: createHttpError(
    404,
    Code.NotFound,
    "PAGE_NOT_FOUND",
    "phone systems of this kind have no webhook at this path: check the URL",
  ),
};
