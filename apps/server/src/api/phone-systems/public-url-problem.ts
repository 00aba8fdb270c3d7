import type { PhoneSystemKind } from "@calltrack/domain";

/** Returns why a phone system cannot use `PUBLIC_URL`, and what to do; undefined if it can. */
export function findPublicUrlProblem(kind: PhoneSystemKind, publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) {
    return "PUBLIC_URL is unset, so the phone system has no URLs, and its webhooks return 503: set PUBLIC_URL, and restart the server";
  }
  if (publicUrl.startsWith("http:") && kind !== "sip") {
    return `${publicUrl} does not use TLS: set PUBLIC_URL to an https URL, because requests contain callers' numbers`;
  }
  return undefined;
}
