import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  type MethodOptions,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { http as httpOption } from "../gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "../gen/google/api/http_pb.js";
import { BookSchema, GetBookRequestSchema } from "../gen/library/v1/library_pb.js";
import {
  FailureSchema,
  HttpResponseSchema,
  http as httpResponseOption,
  failures as sharedFailuresOption,
} from "../gen/transcoding/v1/http_pb.js";

/** An RPC for a test. By default, its request is a GetBookRequest, its response is a Book, and it has no options. */
export interface TestRpc {
  readonly input?: DescMessage;
  readonly output?: DescMessage;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  readonly http?: MessageInitShape<typeof HttpRuleSchema>;
  readonly response?: MessageInitShape<typeof HttpResponseSchema>;
}

/** Creates the `google.api.http` option for a GET. */
export function httpGet(path: string) {
  return { pattern: { case: "get", value: path } } as const;
}

export function httpPost(path: string, body: string) {
  return { pattern: { case: "post", value: path }, body } as const;
}

/** Creates the `google.api.http` option for the HTTP method `kind`, such as `HEAD`, or for all methods if `kind` is `*`. */
export function httpCustom(kind: string, path: string) {
  return { pattern: { case: "custom", value: { kind, path } } } as const;
}

/**
 * Builds the service `test.v1.<name>` without a compiler, so that tests can use invalid options.
 *
 * @param shared the shared failures that the service's file declares.
 */
export function buildService(
  name: string,
  rpcs: Readonly<Record<string, TestRpc>>,
  shared: readonly MessageInitShape<typeof FailureSchema>[] = [],
): DescService {
  const messages = Object.values(rpcs).flatMap((rpc) => [inputOf(rpc), outputOf(rpc)]);
  const files = new Map(messages.map(({ file }) => [file.proto.name, file]));
  const method = Object.entries(rpcs).map(([name, rpc]) => ({
    name,
    inputType: `.${inputOf(rpc).typeName}`,
    outputType: `.${outputOf(rpc).typeName}`,
    clientStreaming: rpc.clientStreaming ?? false,
    serverStreaming: rpc.serverStreaming ?? false,
    options: createOptions(rpc),
  }));
  const fileOptions = create(FileOptionsSchema);
  const failures = shared.map((each) => create(FailureSchema, each));
  if (failures.length > 0) setExtension(fileOptions, sharedFailuresOption, failures);
  const file = create(FileDescriptorProtoSchema, {
    name: "test/v1/test.proto",
    package: "test.v1",
    syntax: "proto3",
    options: fileOptions,
    dependency: [...files.keys()],
    service: [{ name, method }],
  });
  const service = createFileRegistry(file, (path) => files.get(path)).getService(`test.v1.${name}`);
  if (service === undefined) throw new Error(`test.v1.${name} was not built`);
  return service;
}

function inputOf({ input }: TestRpc): DescMessage {
  return input ?? GetBookRequestSchema;
}

function outputOf({ output }: TestRpc): DescMessage {
  return output ?? BookSchema;
}

function createOptions({ http, response }: TestRpc): MethodOptions {
  const options = create(MethodOptionsSchema);
  if (http !== undefined) setExtension(options, httpOption, create(HttpRuleSchema, http));
  if (response !== undefined) setExtension(options, httpResponseOption, create(HttpResponseSchema, response));
  return options;
}
