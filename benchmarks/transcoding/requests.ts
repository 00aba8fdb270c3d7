import { create, type Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ListPoolsResponse,
  ListPoolsResponseSchema,
  type Pool,
  PoolSchema,
  PoolService,
  PoolType,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import {
  createRequestDecoder,
  createResponseEncoder,
  createRouter,
  createTranscoder,
  type HttpRequest,
  readHttpRules,
} from "@calltrack/transcoding";
import type { Case } from "./measure-cases.ts";

/** JSON options of the API, as in the server. */
const JSON_OPTIONS = { strictTypes: true, fieldNames: "proto", unset: "null", enums: "lower" } as const;

const ACCOUNT_PATH = "/dni_manager/accounts/acme/pools";
const POOL_PATH = `${ACCOUNT_PATH}/019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e`;
const POOL_BODY = {
  original_number: "+12223334444",
  area_code: "030",
  description: "Numbers for the spring campaign",
  is_dni: true,
  is_prompted: false,
  is_recorded: true,
  pool_type: "automated",
  property_token: "prop_1f0e3dad",
  size: 10,
  utilization: 0.5,
};

interface PoolRequest {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array;
  /** The handler's response. */
  readonly answer: Message;
}

const REQUESTS: readonly PoolRequest[] = [
  { title: "GET a pool", method: "GET", path: POOL_PATH, answer: createPool(0) },
  { title: "POST a pool", method: "POST", path: ACCOUNT_PATH, body: bytes(POOL_BODY), answer: createPool(0) },
  { title: "PUT a pool", method: "PUT", path: POOL_PATH, body: bytes({ size: 20 }), answer: createPool(0) },
  { title: "GET 20 pools", method: "GET", path: ACCOUNT_PATH, answer: createList(20) },
];

/** Creates cases of the steps alone: routing the raw path, decoding the body, and encoding the response as JSON text. */
export function createTranscodingCases(): readonly Case[] {
  const rules = readHttpRules([PoolService]).map((rule) => ({
    method: rule.method,
    template: rule.template,
    value: {
      decoder: createRequestDecoder(rule, JSON_OPTIONS),
      encoder: createResponseEncoder(rule.rpc.output, rule.responseBody, JSON_OPTIONS),
    },
  }));
  const router = createRouter(rules);
  return REQUESTS.map(({ title, method, path, body, answer }) => ({
    title,
    run() {
      const match = router.route(method, path);
      if (match.kind !== "found") throw new Error(`${method} ${path} is ${match.kind}`);
      const { message, violations } = match.route.value.decoder.decode(match.values, "", body);
      if (violations.length > 0) throw new Error(`${method} ${path} is rejected`);
      return [message, match.route.value.encoder.encode(answer)];
    },
  }));
}

/**
 * Creates cases of the complete call between server and handler: headers, call, context and response. The handler returns at
 * once.
 */
export function createCallCases(): readonly Case[] {
  const transcoder = createTranscoder({
    routes: (router) =>
      router.service(PoolService, {
        getPool: () => REQUESTS[0]?.answer as Pool,
        createPool: () => REQUESTS[1]?.answer as Pool,
        updatePool: () => REQUESTS[2]?.answer as Pool,
        listPools: () => REQUESTS[3]?.answer as ListPoolsResponse,
      }),
    json: JSON_OPTIONS,
  });
  return REQUESTS.map((request) => ({
    title: request.title,
    run: () => transcoder.handle(createRequest(request)),
  }));
}

/** Creates cases of V8's own JSON functions on the same request and response. */
export function createJsonCases(): readonly Case[] {
  return createTranscodingCases().map(({ title, run }, index) => {
    const [, text] = run(0) as [Message, string];
    const answer = JSON.parse(text);
    const body = REQUESTS[index]?.body;
    const decoder = new TextDecoder();
    return {
      title,
      run: () => [body === undefined ? undefined : JSON.parse(decoder.decode(body)), JSON.stringify(answer)],
    };
  });
}

function createRequest({ method, path, body }: PoolRequest): HttpRequest {
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return {
    httpVersion: "1.1",
    method,
    target: path,
    origin: "http://localhost",
    contextValues: undefined,
    codings: [],
    header: (name) => headers[name],
    headerEntries: () => Object.entries(headers),
    isRepeated: () => false,
    hasBody: body !== undefined,
    receive(receiver) {
      if (body !== undefined) receiver.onData(body);
      receiver.onEnd();
    },
    consume: () => {},
    onGone: () => () => {},
  };
}

function createPool(index: number): Pool {
  return create(PoolSchema, {
    id: `019aa34f-5c1d-7e52-8c3a-0b1d5f6a${String(index).padStart(4, "0")}`,
    originalNumberId: "019aa34e-91b7-7a04-b6de-4c2f83a1d905",
    accountToken: "acme",
    areaCode: "030",
    description: "Numbers for the spring campaign",
    isDni: true,
    isPrompted: false,
    isRecorded: true,
    poolType: PoolType.AUTOMANAGED,
    propertyToken: "prop_1f0e3dad",
    size: 10,
    utilization: 0.5,
    createdAt: timestampFromDate(new Date("2026-11-20T21:01:15.933Z")),
    updatedAt: timestampFromDate(new Date("2026-11-21T08:30:00.120Z")),
  });
}

function createList(length: number): ListPoolsResponse {
  const pools = Array.from({ length }, (_, index) => createPool(index));
  return create(ListPoolsResponseSchema, { pools });
}

function bytes(json: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(json));
}
