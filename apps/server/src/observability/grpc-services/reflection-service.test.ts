import {
  type Client,
  type ClientDuplexStream,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callUnary, createGrpcConnection, type GrpcMessage } from "../../testing/grpc-client.js";
import { loadProtos, SERVICE_NAMES } from "../../testing/load-protos.js";
import { uniqueToken } from "../../testing/request-fields.js";
import { startTestServer, type TestServer } from "../../testing/test-server.js";

/** Encodes a FileDescriptorSet: each serialized file is a length-delimited field 1. */
function descriptorSet(files: readonly Buffer[]): Buffer {
  return Buffer.concat(files.flatMap((file) => [Buffer.from([0x0a]), varint(file.length), file]));
}

function varint(value: number): Buffer {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

describe.each(["v1", "v1alpha"])("gRPC reflection %s", (version) => {
  let server: TestServer;
  let client: Client;
  let stream: ClientDuplexStream<object, GrpcMessage>;
  let answers: AsyncIterator<GrpcMessage>;

  beforeAll(async () => {
    server = await startTestServer("postgres");
    client = createGrpcConnection(server.port);
    const protos = loadProtos([`grpc/reflection/${version}/reflection.proto`], { defaults: false });
    const service = protos[`grpc.reflection.${version}.ServerReflection`] as ServiceDefinition;
    const method = service.ServerReflectionInfo as MethodDefinition<object, GrpcMessage>;
    stream = client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      new Metadata(),
    );
    answers = stream[Symbol.asyncIterator]();
  });

  afterAll(async () => {
    stream.end();
    client.close();
    await server.stop();
  });

  /** Sends a request over the stream that all tests share, and returns the response. Clients also send several requests over one stream. */
  async function ask(request: object): Promise<GrpcMessage> {
    stream.write(request);
    return (await answers.next()).value;
  }

  async function filesOf(request: object): Promise<readonly Buffer[]> {
    const { file_descriptor_response: response } = await ask(request);
    return (response as { file_descriptor_proto: Buffer[] }).file_descriptor_proto;
  }

  test("lists every service", async () => {
    const { list_services_response: response, original_request } = await ask({ host: "me", list_services: "*" });
    expect(response).toEqual({ service: SERVICE_NAMES.map((name) => ({ name })) });
    expect(original_request).toEqual({ host: "me", list_services: "*" });
  });

  test.each(SERVICE_NAMES)("describes %s with all files that it imports", async (symbol) => {
    const definition = loadFileDescriptorSetFromBuffer(
      descriptorSet(await filesOf({ file_containing_symbol: symbol })),
    );
    expect(Object.keys(definition)).toContain(symbol);
    expect(() => loadPackageDefinition(definition)).not.toThrow();
  });

  test("lets a client without proto files call a method", async () => {
    const files = await filesOf({ file_containing_symbol: "calltracking.v1.AccountService.CreateAccount" });
    const definition = loadFileDescriptorSetFromBuffer(descriptorSet(files));
    const { CreateAccount } = definition["calltracking.v1.AccountService"] as ServiceDefinition;
    const token = uniqueToken();
    const account = await callUnary(client, CreateAccount as MethodDefinition<object, object>, {
      account_token: token,
    });
    expect(account).toMatchObject({ account_token: token, is_active: true });
  });

  test.each([
    "calltracking.v1.Pool",
    "calltracking.v1.Pool.utilization",
    "calltracking.v1.PoolType",
    "google.api.http",
    "google.protobuf.Timestamp",
    "google.rpc.Status",
    "google.rpc.BadRequest.FieldViolation",
    "google.rpc.ErrorInfo",
  ])("finds the file of %s", async (symbol) => {
    expect((await filesOf({ file_containing_symbol: symbol })).length).toBeGreaterThan(0);
  });

  test("lets a client without proto files read the details of errors", async () => {
    const define = async (symbol: string) =>
      loadFileDescriptorSetFromBuffer(descriptorSet(await filesOf({ file_containing_symbol: symbol })));
    const read = <T>(definition: unknown, bytes: Buffer) =>
      (definition as { deserialize: (bytes: Buffer) => T }).deserialize(bytes);
    const services = await define("calltracking.v1.AccountService");
    const { CreateAccount } = services["calltracking.v1.AccountService"] as ServiceDefinition;
    const { path, requestSerialize } = CreateAccount as MethodDefinition<object, object>;
    const bytes = await new Promise<Buffer>((resolve) => {
      const onEnd = (error: ServiceError | null) =>
        resolve(error?.metadata.get("grpc-status-details-bin")[0] as Buffer);
      client.makeUnaryRequest(
        path,
        requestSerialize,
        (response) => response,
        { account_token: "x".repeat(1000) },
        onEnd,
      );
    });
    type Status = { details: { type_url: string; value: Buffer }[] };
    const { details } = read<Status>((await define("google.rpc.Status"))["google.rpc.Status"], bytes);
    const names = details.map(({ type_url }) => type_url.slice(type_url.lastIndexOf("/") + 1));
    expect(names).toEqual(["google.rpc.BadRequest", "google.rpc.ErrorInfo"]);
    for (const [at, name] of names.entries()) {
      const detail = read<object>((await define(name))[name], details[at]?.value as Buffer);
      expect(Object.keys(detail).length, name).toBeGreaterThan(0);
    }
  });

  test("finds a file by its name", async () => {
    expect((await filesOf({ file_by_filename: "calltracking/v1/pool.proto" })).length).toBeGreaterThan(1);
    expect(await filesOf({ file_by_filename: "google/protobuf/timestamp.proto" })).toHaveLength(1);
  });

  test("finds extensions by their numbers", async () => {
    const extendee = "google.protobuf.MethodOptions";
    const { all_extension_numbers_response } = await ask({ all_extension_numbers_of_type: extendee });
    expect(all_extension_numbers_response).toMatchObject({
      base_type_name: extendee,
      extension_number: expect.arrayContaining([72_295_728]),
    });
    const request = { containing_type: extendee, extension_number: 72_295_728 };
    expect((await filesOf({ file_containing_extension: request })).length).toBeGreaterThan(0);
  });

  test.each([
    { file_containing_symbol: "nope.v1.Nothing" },
    { file_by_filename: "nope.proto" },
    { file_containing_extension: { containing_type: "google.protobuf.MethodOptions", extension_number: 1 } },
    { all_extension_numbers_of_type: "nope" },
  ])("returns NOT_FOUND for %o and keeps the stream open", async (request) => {
    expect((await ask(request)).error_response).toMatchObject({ error_code: 5 });
    expect((await ask({ list_services: "" })).list_services_response).toBeDefined();
  });

  test("returns INVALID_ARGUMENT for an empty request", async () => {
    expect((await ask({})).error_response).toMatchObject({ error_code: 3 });
  });
});
