import type { LoadRequest } from "./workload.ts";

export interface JsonResponse {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

export async function sendJson(port: number, { method, path, body }: LoadRequest): Promise<JsonResponse> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: (body as string | undefined) ?? null,
  });
  const type = response.headers.get("content-type")?.split(";")[0];
  return { status: response.status, type, body: await response.text() };
}

/**
 * Sends a JSON request, and returns the body of the response.
 *
 * @throws Error if the status is neither 200 nor 201.
 */
export async function requestJson(port: number, request: LoadRequest): Promise<string> {
  const { status, body } = await sendJson(port, request);
  if (status === 200 || status === 201) return body;
  throw new Error(`${request.method} ${request.path} has status ${status}: ${body}`);
}
