import { type Client, type ClientReadableStream, Metadata } from "@grpc/grpc-js";
import type { MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import { afterAll, describe, expect, test } from "vitest";
import { callUnary, createGrpcConnection, type GrpcMessage } from "../../testing/grpc-client.js";
import { loadProtos, SERVICE_NAMES } from "../../testing/load-protos.js";
import { createProxiedDatabase } from "../../testing/proxied-database.js";
import { requireRefusal } from "../../testing/refusal.js";
import { serveDatabase, startTestServer } from "../../testing/test-server.js";

const health = loadProtos(["health/v1/health.proto"], { defaults: true })["grpc.health.v1.Health"] as ServiceDefinition;

/** The names of all services; the empty name is the server as a whole. */
const NAMES = ["", ...SERVICE_NAMES];

function method(name: string): MethodDefinition<object, object> {
  return health[name] as MethodDefinition<object, object>;
}

function watch(client: Client, service: string): ClientReadableStream<GrpcMessage> {
  const { path, requestSerialize, responseDeserialize } = method("Watch");
  return client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize as never,
    { service },
    new Metadata(),
  );
}

/** Returns the next status of a watch. */
async function nextStatus(statuses: AsyncIterator<GrpcMessage>): Promise<unknown> {
  return (await statuses.next()).value?.status;
}

describe("gRPC health", async () => {
  const server = await startTestServer("postgres");
  const client = createGrpcConnection(server.port);

  afterAll(async () => {
    client.close();
    await server.stop();
  });

  test.each(NAMES)("Check returns SERVING for %j", async (service) => {
    expect(await callUnary(client, method("Check"), { service })).toEqual({ status: "SERVING" });
  });

  test("Check returns NOT_FOUND for an unknown service", async () => {
    expect(await requireRefusal(callUnary(client, method("Check"), { service: "nope" }))).toMatchObject({
      reason: "NOT_FOUND",
    });
  });

  test("List returns every service", async () => {
    const { statuses } = await callUnary(client, method("List"), {});
    expect(statuses).toEqual(Object.fromEntries(NAMES.map((service) => [service, { status: "SERVING" }])));
  });

  test("Watch returns SERVICE_UNKNOWN for an unknown service and stays open", async () => {
    const call = watch(client, "nope");
    expect(await nextStatus(call[Symbol.asyncIterator]())).toBe("SERVICE_UNKNOWN");
    call.destroy();
  });

  test("Watch returns SERVING, then NOT_SERVING when the server stops, and does not delay the stop", async () => {
    const stopping = await startTestServer("postgres");
    const watcher = createGrpcConnection(stopping.port);
    const call = watch(watcher, "");
    const statuses = call[Symbol.asyncIterator]();
    expect(await nextStatus(statuses)).toBe("SERVING");
    const stopped = stopping.stop();
    expect(await nextStatus(statuses)).toBe("NOT_SERVING");
    await stopped;
    watcher.close();
  });
});

test("gRPC health is NOT_SERVING while the database is unreachable", async () => {
  const { url, proxy } = await createProxiedDatabase();
  const server = await serveDatabase({ kind: "postgres", url: url.href });
  const client = createGrpcConnection(server.port);
  const call = watch(client, "");
  const statuses = call[Symbol.asyncIterator]();
  expect(await nextStatus(statuses)).toBe("SERVING");

  await proxy.close();
  expect(await nextStatus(statuses)).toBe("NOT_SERVING");
  expect(await callUnary(client, method("Check"), { service: "" })).toEqual({ status: "NOT_SERVING" });

  await proxy.open();
  expect(await nextStatus(statuses)).toBe("SERVING");
  call.destroy();
  client.close();
  await server.stop();
  await proxy.close();
});
