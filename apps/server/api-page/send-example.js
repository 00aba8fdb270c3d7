import { findExisting } from "./existing-example.js";
import { KnownValues } from "./known-values.js";

/** The account of the examples. */
const ACCOUNT = "api-page-example";

/** Operations whose responses contain secrets. The page sends no idempotency key for them, because it would have to be unguessable. */
const SECRET_OPERATIONS = [
  "createApiKey",
  "createPhoneSystem",
  "rotatePhoneSystemCredentials",
  ...["createWebhookEndpoint", "rotateWebhookEndpointSecret"].flatMap((id) => [id, `${id}WithoutAccountId`]),
];

/** How long the page watches events, in seconds: the stream would never end, and the page shows complete responses only. */
const WATCH_SECONDS = "1";

/** Operations that need the numbers that the example of `addTrackingNumbers` adds. */
const POOL_OPERATIONS = ["createPool", "batchCreatePools"];

/**
 * Creates the function that sends the page's requests. It replaces ids from the examples with the ids of the objects that earlier requests
 * from the tab created. If the object of an example already exists, it returns that object instead of creating another one.
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
  const [addNumbers, getAccount] = ["addTrackingNumbers", "getAccount"].map((id) =>
    operations.find(({ operationId }) => operationId === id),
  );

  /** Sends a request for an operation, and replaces example values with known values. */
  function send(operation, { path, body, headers, signal }) {
    const [target, text] = [base + values.replaceIn(path), values.replaceIn(body)];
    if (hasKey(operation) && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", hash(target + text));
    if (operation.path.endsWith(":watch") && !headers.has("X-Server-Timeout")) {
      headers.set("X-Server-Timeout", WATCH_SECONDS);
    }
    return fetch(target, { method: operation.method, headers, signal, ...(text && { body: text }) });
  }

  /** Returns the JSON at a path; undefined if the caller may not read it. */
  async function read(path, { headers: given, signal }) {
    const response = await fetch(base + path, { headers: credentialsOf(given), signal });
    return response.ok ? response.json() : undefined;
  }

  /** Finds the account of the examples. If it differs from the earlier one, deletes the known values. */
  async function findAccount(request) {
    const accounts = await read(`/call_tracking/accounts?query=${ACCOUNT}`, request);
    const account = accounts?.find(({ account_token }) => account_token === ACCOUNT);
    if (accounts !== undefined) values.belongTo(account);
    if (account !== undefined) values.learn(exampleOf(getAccount, 200), account);
    return account;
  }

  /** Sends an unchanged example, unless the object that it creates exists. For a pool, first adds numbers to the inventory. */
  async function sendExample(operation, request, account) {
    const { operationId } = operation;
    const found = await findExisting(operationId, bodyOf(operation), account, (path) => read(path, request));
    if (found !== undefined) return Response.json(found);
    if (POOL_OPERATIONS.includes(operationId)) {
      const headers = new Headers({ ...credentialsOf(request.headers), "Content-Type": "application/json" });
      const body = JSON.stringify(bodyOf(addNumbers));
      const added = await send(addNumbers, { path: addNumbers.path, body, headers, signal: request.signal });
      if (!added.ok) return added;
    }
    return send(operation, request);
  }

  /** Sends the example of another operation whose result the current example needs. */
  function sendOther(operation, path, { headers: given, signal }) {
    const body = bodyOf(operation);
    const headers = new Headers({ ...credentialsOf(given), ...(body && { "Content-Type": "application/json" }) });
    return send(operation, { path, body: body && JSON.stringify(body), headers, signal });
  }

  /**
   * Replaces the ids in the path of an example with those of an existing webhook endpoint and delivery. Creates them first if there are none,
   * because the example of another operation deletes the endpoint. Returns the path unchanged if the caller may not do that.
   */
  async function nameEndpoint({ path: template, parameters }, path, request) {
    const [parent, rest] = template.split("/{webhook_endpoint_id}");
    if (rest === undefined) return path;
    const list = parent.replace("{account_id}", ACCOUNT);
    const [create, test] = [parent, `${parent}/{webhook_endpoint_id}:test`].map((wanted) =>
      operations.find((each) => each.method === "POST" && each.path === wanted),
    );
    const endpoints = await read(list, request);
    if (endpoints === undefined) return path;
    let endpoint = endpoints.find(({ url }) => url === bodyOf(create).url);
    if (endpoint === undefined) {
      const created = await sendOther(create, list, request);
      if (!created.ok) return path;
      endpoint = (await created.json()).webhook_endpoint;
    }
    const idOf = (name) => parameters.find((each) => each.name === name)?.example;
    const named = path.replace(idOf("webhook_endpoint_id"), endpoint.id);
    if (!rest.includes("{webhook_delivery_id}")) return named;
    const deliveries = await read(`${list}/${endpoint.id}/deliveries?page_size=1`, request);
    const delivery = deliveries?.[0] ?? (await (await sendOther(test, `${list}/${endpoint.id}:test`, request)).json());
    return named.replace(`/deliveries/${idOf("webhook_delivery_id")}`, `/deliveries/${delivery.id}`);
  }

  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const path = pathname.slice(new URL(base, location).pathname.replace(/\/$/, "").length);
    const operation = operations.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (operation === undefined) return fetch(request);
    const { headers, signal } = request;
    const given = { path: path + search, body: await request.text(), headers, signal };
    const namesExample = decodeURIComponent(path) === pathOf(operation);
    const isUnchanged = namesExample && isSame(given.body, bodyOf(operation));
    const account = await findAccount(given);
    if (namesExample) given.path = await nameEndpoint(operation, given.path, given);
    const response = await (isUnchanged ? sendExample(operation, given, account) : send(operation, given));
    if (response.ok && namesExample && isLearned(operation, path)) {
      const example = exampleOf(operation, createsObject(operation) ? 201 : response.status);
      values.learn(
        example,
        await response
          .clone()
          .json()
          .catch(() => undefined),
      );
    }
    return response;
  };
}

function credentialsOf(headers) {
  const authorization = headers.get("Authorization");
  return authorization === null ? {} : { Authorization: authorization };
}

/**
 * Whether to store the ids in the response to an example for later requests. The ids of webhook endpoints are read before each request
 * instead: both kinds of endpoints share one example id, and the id of a delivery is short enough to be part of other values.
 */
function isLearned(operation, path) {
  if (operation.path.includes("/webhook_endpoints")) return false;
  return createsObject(operation) || path.includes(`/${ACCOUNT}/`);
}

function createsObject({ responses }) {
  return 201 in responses;
}

function exampleOf({ responses }, status) {
  return responses[status]?.content?.["application/json"]?.example;
}

/** Returns the example of an operation's body; undefined if it has none. */
function bodyOf({ requestBody }) {
  return requestBody?.content["application/json"]?.example;
}

/** Whether a body has the values of an example. */
function isSame(text, example) {
  try {
    return (text === "" ? undefined : JSON.stringify(JSON.parse(text))) === JSON.stringify(example);
  } catch {
    return false;
  }
}

function hasKey({ parameters, operationId }) {
  return !SECRET_OPERATIONS.includes(operationId) && parameters.some(({ name }) => name === "Idempotency-Key");
}

/** Returns the path of an operation with the values of its examples. */
function pathOf({ path, parameters }) {
  return parameters.reduce((filled, { name, example }) => filled.replace(`{${name}}`, example), path);
}

/** A hash for keys that need not be secret (FNV-1a). */
function hash(text) {
  const value = Array.from(text).reduce((sum, each) => Math.imul(sum ^ each.codePointAt(0), 0x01000193), 0x811c9dc5);
  return `api-page-${(value >>> 0).toString(16)}`;
}
