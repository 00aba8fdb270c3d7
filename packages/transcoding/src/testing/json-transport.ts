import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.js";
import { ERROR_CODES } from "./codes.js";
import { collect } from "./conformance.js";
import type { OpenResponse, TestRequest, TestServer } from "./test-runtime.js";

const ERROR_DETAILS = createRegistry(file_google_rpc_error_details);
type Json = Readonly<Record<string, JsonValue>>;

/** Functions that build the HTTP request for each method that tests call, as a client of the JSON paths would build it. */
const REQUESTS: Readonly<Record<string, (json: Json) => TestRequest>> = {
  GetShelf: ({ name }) => ({ target: `/v1/${name}` }),
  UpdateShelf: ({ name, ...body }) => ({ method: "PUT", target: `/v1/${name}`, body: JSON.stringify(body) }),
  WatchBooks: ({ parent, limit }) => ({ target: `/v1/${parent}/books:watch?limit=${limit}` }),
};

/** Creates a Connect transport over the JSON paths, so that the same Connect client can call the library over every protocol. */
export function createJsonTransport(server: TestServer): Transport {
  const send = async (
    method: DescMethod,
    input: MessageInitShape<DescMessage>,
    given: ConstructorParameters<typeof Headers>[0],
    signal: AbortSignal | undefined,
  ) => {
    const headers = { te: "trailers", accept: "application/x-ndjson", ...Object.fromEntries(new Headers(given)) };
    const json = toJson(method.input, create(method.input, input), { useProtoFieldName: true }) as JsonObject;
    const request = REQUESTS[method.name]?.(json);
    if (request === undefined) throw new Error(`${method.name} has no request here`);
    const response = await server.open({ ...request, headers }, signal);
    const header = toHeaders(response.headers);
    if (response.status !== 200) throw errorFromJson(JSON.parse(await readText(response)), header);
    return { response, header };
  };
  return {
    async unary(method, signal, _, header, input) {
      const sent = await send(method, input, header, signal);
      return {
        stream: false,
        service: method.parent,
        method,
        header: sent.header,
        message: fromJson(method.output, JSON.parse(await readText(sent.response))),
        trailer: toHeaders(sent.response.trailers),
      };
    },
    async stream(method, signal, _, header, inputs) {
      const [input] = await collect(inputs);
      if (input === undefined) throw new Error("a stream call needs its request");
      const { response, header: received } = await send(method, input, header, signal);
      const trailer = new Headers();
      return {
        stream: true,
        service: method.parent,
        method,
        header: received,
        message: readRecords(response, method.output, () => {
          for (const [name, value] of toHeaders(response.trailers)) trailer.append(name, value);
        }),
        trailer,
      };
    },
  };
}

async function* readRecords<O extends DescMessage>(response: OpenResponse, output: O, onEnd: () => void) {
  let pending = "";
  for await (const chunk of response.body) {
    const lines = (pending + Buffer.from(chunk).toString("utf8")).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const json = JSON.parse(line);
      if ("error" in json) throw errorFromJson(json, new Headers());
      yield fromJson(output, json);
    }
  }
  onEnd();
}

async function readText(response: OpenResponse): Promise<string> {
  return Buffer.concat(await collect(response.body)).toString("utf8");
}

interface ErrorJson {
  readonly error: { readonly status: string; readonly message: string; readonly details: readonly JsonValue[] };
}

function errorFromJson({ error }: ErrorJson, metadata: Headers): ConnectError {
  const result = new ConnectError(
    error.message,
    ERROR_CODES.find(([, , name]) => name === error.status)?.[0],
    metadata,
  );
  result.details = error.details.map((detail) => {
    const any = fromJson(AnySchema, detail, { registry: ERROR_DETAILS });
    return { type: any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1), value: any.value };
  });
  return result;
}

function toHeaders(fields: OpenResponse["headers"]): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    if (name.startsWith(":")) continue;
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
