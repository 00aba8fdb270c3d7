import type { PhoneSystemKind } from "@calltrack/domain";
import type { PhoneSystemFinding } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { decryptPhoneSystemSecrets } from "../api/phone-systems/phone-system-credentials.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import { findPublicUrlProblem } from "../api/phone-systems/public-url-problem.js";
import type { SecretBox } from "../secrets/secret-box.js";
import { createAuthenticationHeaders, type WebhookCredential } from "./providers/verify-signature.js";
import { TWIML_CONTENT_TYPE } from "./providers/write-twiml.js";
import { PHONE_SYSTEM_CHECK_FIELD } from "./webhook-handler.js";

/** The time limit for a response, in milliseconds. It is shorter than the timeouts of providers, because callers hang up before those timeouts. */
const TIMEOUT_MS = 5000;

const WRONG_SECRET = "a wrong secret";

interface PhoneSystemCheckDependencies {
  readonly secrets: SecretBox | undefined;
  readonly publicUrl: string | undefined;
}

/** Creates a function that sends requests to a phone system's webhooks as the phone system would, and returns the findings. */
export function createPhoneSystemCheck({ secrets, publicUrl }: PhoneSystemCheckDependencies) {
  return async (phoneSystem: StoredPhoneSystem): Promise<PhoneSystemFinding[]> => {
    const { id, kind, accountSid, isActive } = phoneSystem;
    const [credential] = decryptPhoneSystemSecrets(secrets, phoneSystem, new Date());
    const findings = [
      checkPublicUrl(kind, publicUrl),
      finding(
        "is_active",
        isActive,
        isActive
          ? "the phone system is enabled, so the server answers its webhooks"
          : "the phone system is disabled: enable it",
      ),
      credential === undefined
        ? finding(
            "credentials",
            false,
            "the server cannot decrypt any credential: rotate the credentials, or set the SECRETS_KEY that encrypted them",
          )
        : finding("credentials", true, "the server can decrypt the current credential"),
    ];
    if (publicUrl === undefined || credential === undefined || !isActive) return findings;
    const send = (page: "voice" | "status", secret: string) => {
      const form = new URLSearchParams({
        [PHONE_SYSTEM_CHECK_FIELD]: "1",
        ...(accountSid && { AccountSid: accountSid }),
      });
      return sendForm(kind, `${publicUrl}/telephony/${id}/${page}`, form, { secret });
    };
    findings.push(judge("voice_url", EXPECTED[kind].voice, await send("voice", credential.secret)));
    findings.push(judge("status_url", EXPECTED[kind].status, await send("status", credential.secret)));
    findings.push(judge("wrong_credential", REJECTED, await send("voice", WRONG_SECRET)));
    return [
      ...findings,
      ...BY_HAND[kind === "sip" ? "sip" : "provider"].map((text) => finding("by_hand", false, text)),
    ];
  };
}

interface Expected {
  readonly status: number;
  readonly contentType?: string;
  /** A message for a passed check that could not test everything; absent if the check tested everything. */
  readonly remark?: string;
}

const REJECTED: Expected = { status: 403 };
const RECORDED: Expected = { status: 204 };
const TWIML: Expected = { status: 200, contentType: TWIML_CONTENT_TYPE };
const UNSIGNED: Expected = {
  status: 403,
  remark: "as expected: only Telnyx has the key to sign requests, so this check cannot send a signed one",
};

const EXPECTED: Readonly<Record<PhoneSystemKind, { readonly voice: Expected; readonly status: Expected }>> = {
  twilio: { voice: TWIML, status: RECORDED },
  signalwire: { voice: TWIML, status: RECORDED },
  telnyx: { voice: UNSIGNED, status: UNSIGNED },
  sip: { voice: { status: 200, contentType: "application/json" }, status: RECORDED },
};

const BY_HAND = {
  provider: [
    "at the provider, set voice_url as each number's URL for incoming calls and status_url as its URL for status changes, both with POST",
    "at the provider, store fallback_document, for example in a TwiML Bin, and set its URL as each number's fallback URL: the provider then rings the fallback number while this server is unreachable",
    "call one of the numbers: this check cannot test whether the provider reaches PUBLIC_URL",
  ],
  sip: [
    "in the PBX, set voice_url, status_url and the API key, and a fallback number to dial while this server is unreachable",
    "call one of the numbers: this check runs on the server, so it cannot test whether the PBX reaches PUBLIC_URL",
  ],
} as const;

function checkPublicUrl(kind: PhoneSystemKind, publicUrl: string | undefined): PhoneSystemFinding {
  const problem = findPublicUrlProblem(kind, publicUrl);
  return finding("public_url", problem === undefined, problem ?? publicUrl ?? "");
}

/** Posts a form. Returns the parts of the response that are checked, or `problem` if there was no response. */
async function sendForm(kind: PhoneSystemKind, url: string, form: URLSearchParams, credential: WebhookCredential) {
  const start = performance.now();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...createAuthenticationHeaders(kind, credential, url, form),
      },
      body: form.toString(),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    const { status, headers } = response;
    const ms = Math.round(performance.now() - start);
    const location = headers.get("location") ?? undefined;
    return { status, contentType: headers.get("content-type") ?? "", location, ms };
  } catch (error) {
    const { cause = error } = error as Error;
    const { code, message } = cause as NodeJS.ErrnoException;
    return { problem: typeof code === "string" ? `${code}: ${message}` : message };
  }
}

function judge(check: string, expected: Expected, answer: Awaited<ReturnType<typeof sendForm>>): PhoneSystemFinding {
  const failed = (message: string) => finding(check, false, message);
  if (answer.problem !== undefined) return failed(`the server's request to this URL failed: ${answer.problem}`);
  const { status, contentType, location, ms } = answer;
  if (location !== undefined)
    return failed(
      `this URL redirects to ${location}, but phone systems do not follow redirects: set PUBLIC_URL to the target of the redirect`,
    );
  const { contentType: expectedType = contentType, remark } = expected;
  if (status !== expected.status)
    return failed(`this URL answered ${status} instead of ${expected.status}: check the proxy and the server's log`);
  if (contentType !== expectedType)
    return failed(
      `this URL answered with ${contentType} instead of ${expectedType}: set PUBLIC_URL to the URL of this server`,
    );
  return finding(check, true, `this URL answered ${status} in ${ms} ms${remark === undefined ? "" : `, ${remark}`}`);
}

function finding(check: string, isPassed: boolean, message: string): PhoneSystemFinding {
  return { $typeName: "calltracking.v1.PhoneSystemFinding", check, isPassed, message };
}
