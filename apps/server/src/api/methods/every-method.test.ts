import type { DescMethod } from "@bufbuild/protobuf";
import { API_SERVICES, type ApiMethods } from "@calltrack/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient, MethodName, RequestFields } from "../../testing/api-client.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { requireRefusal } from "../../testing/refusal.js";
import { newSampleAccount, type SampleAccount, sampleRequests } from "../../testing/sample-requests.js";
import { ENGINES } from "../../testing/test-database.js";
import { startTestServer, type TestServer } from "../../testing/test-server.js";

/** The unary methods. Streams have their own suites. */
const METHODS: readonly DescMethod[] = API_SERVICES.flatMap(({ methods }) => methods).filter(
  ({ methodKind }) => methodKind === "unary",
);

/** A server on one engine, with a client for one protocol. Each variant has its own database, so that all have the same rows. */
interface Variant {
  readonly title: string;
  readonly server: TestServer;
  readonly api: ApiClient;
  readonly account: SampleAccount;
}

const variants: Variant[] = [];

beforeAll(async () => {
  for (const engine of ENGINES) {
    for (const protocol of engine === "postgres" ? (["json", "grpc"] as const) : (["json"] as const)) {
      const server = await startTestServer(engine, { managesPools: false, hasVirtualClock: true });
      const api = protocol === "json" ? createJsonClient(server.url) : createGrpcClient(server.port);
      const account = await newSampleAccount(api, server);
      variants.push({ title: `${engine} over ${protocol}`, server, api, account });
    }
  }
});

afterAll(async () => {
  for (const { api, server } of variants) {
    api.close();
    await server.stop();
  }
});

/** Sends a request for a method with the client of each variant. Returns the responses or errors, keyed by the title of the variant. */
async function answersTo(method: DescMethod, requestOf: (account: SampleAccount) => RequestFields) {
  const answers = new Map<string, string>();
  for (const { title, api, account } of variants) {
    const answer = api[method.localName as MethodName](requestOf(account) as never);
    const outcome = await answer.catch(() => requireRefusal(answer));
    // The outcome is undefined if the documented response has no content. Then there is nothing to compare.
    if (outcome !== undefined) answers.set(title, generalize(JSON.stringify(outcome, undefined, 1)));
  }
  return answers;
}

/** Whether a value in a request is an id, or a name that contains one. */
const isId = (value: unknown) => typeof value === "string" && value.search(UUID) >= 0;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Replaces the values that differ between two servers with the same rows: ids, names, numbers, keys and times. */
function generalize(answer: string): string {
  return (
    answer
      .replaceAll(UUID, "ID")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\+\d{8,15}/g, "NUMBER")
      .replaceAll(/ct_\w+/g, "KEY")
      .replaceAll(/whsec_[\w+/=]+/g, "SECRET")
      .replaceAll(/\b\d{5}\b/g, "AREA")
      .replaceAll(/"nextPageToken": ".+"/g, '"nextPageToken": "TOKEN"')
      .replaceAll(/"nextCursor": ".+"/g, '"nextCursor": "CURSOR"')
      // A pool can become due in the background, which changes the time of its next pass.
      .replaceAll(/"next_pass_at": .+/g, '"next_pass_at": TIME')
  );
}

function expectOneAnswer(answers: ReadonlyMap<string, string>): void {
  const [first] = answers.values();
  for (const [title, answer] of answers) expect(answer, title).toBe(first);
}

describe.each(METHODS)("$name returns the same response on every engine and over every protocol", (method) => {
  const sample = sampleRequests[method.localName as keyof ApiMethods];

  test("to a request", async () => {
    expectOneAnswer(await answersTo(method, sample));
  });

  test("to a request for resources that do not exist", async () => {
    const nothing = (value: unknown) =>
      typeof value === "number" ? 999_999 : isId(value) ? "0190b8f1-0000-7000-8000-000000000000" : value;
    const ofNothing = (account: SampleAccount) =>
      Object.fromEntries(Object.entries(sample(account)).map(([name, value]) => [name, nothing(value)]));
    expectOneAnswer(await answersTo(method, ofNothing));
  });
});
