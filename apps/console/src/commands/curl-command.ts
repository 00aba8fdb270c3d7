import type { SentRequest } from "../api/request-history";
import { serverUrl, settings } from "../api/settings";
import { jsonRequestOf } from "./json-request";
import { shellWord } from "./shell-word";

/** Returns the `curl` command that sends the same request. It reads the credential from the environment. */
export function curlCommand(request: SentRequest): string {
  const { verb, path, headers, body } = jsonRequestOf(request);
  const parts = ["curl", "-s"];
  if (verb !== (body === undefined ? "GET" : "POST")) parts.push("-X", verb);
  parts.push(shellWord(serverUrl + path));
  if (settings.auth) parts.push("-H", '"Authorization: Bearer $CALLTRACK_KEY"');
  for (const [name, value] of headers) parts.push("-H", shellWord(`${name}: ${value}`));
  if (body !== undefined) parts.push("-H", "'Content-Type: application/json'", "-d", shellWord(body));
  return parts.join(" ");
}
