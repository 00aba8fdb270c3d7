import { KnownValues } from "./known-values.js";

/**
 * Creates the function that sends the page's requests. Requests with the values of examples name the objects that earlier
 * requests created, and a repeated request to create an object returns the existing one.
 *
 * @param apiDocument the OpenAPI document.
 * @returns {typeof fetch}
 */
export function createExampleSender({ paths, servers: [{ url: base }] }) {
  const values = new KnownValues();
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return Object.entries(item).map(([method, operation]) => ({
      ...operation,
      pattern,
      path,
      method: method.toUpperCase(),
    }));
  });

  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const path = pathname.slice(new URL(base, location).pathname.replace(/\/$/, "").length);
    const operation = operations.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (operation === undefined) return fetch(request);
    const { headers } = request;
    const body = values.replaceIn(await request.text());
    const target = base + values.replaceIn(path) + search;
    if (hasKey(operation) && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", hash(target + body));
    const response = await fetch(target, {
      method: request.method,
      headers,
      signal: request.signal,
      ...(body && { body }),
    });
    if (response.status === 201 || (response.ok && decodeURIComponent(path) === examplePath(operation))) {
      const { content } = operation.responses[response.status];
      values.learn(
        content?.["application/json"]?.example,
        await response
          .clone()
          .json()
          .catch(() => undefined),
      );
    }
    return response;
  };
}

/** Operations whose responses contain secrets: their keys have to be random, so that none is sent. */
const SECRET_OPERATIONS = ["createApiKey", "createPhoneSystem", "rotatePhoneSystemCredentials"];

function hasKey({ parameters, operationId }) {
  return !SECRET_OPERATIONS.includes(operationId) && parameters.some(({ name }) => name === "Idempotency-Key");
}

/** The path of an operation with the values of its examples, if it is within the example account; otherwise empty. */
function examplePath({ path, parameters }) {
  if (!path.includes("{account_id}/")) return "";
  return parameters.reduce((filled, { name, example }) => filled.replace(`{${name}}`, example), path);
}

/** A hash for keys that need not be secret (FNV-1a). */
function hash(text) {
  const value = Array.from(text).reduce((sum, each) => Math.imul(sum ^ each.codePointAt(0), 0x01000193), 0x811c9dc5);
  return `api-page-${(value >>> 0).toString(16)}`;
}
