import { crc32 } from "node:zlib";
import { beforeEach, expect } from "vitest";
import { type DescribeSuite, describeOnPostgres, type Service } from "./behavior.js";
import { expectErrorShape } from "./error-shape.js";
import { expectDocumented } from "./expect-documented.js";
import { HTTP_VERSIONS, type HttpAnswer, type HttpRequest, type HttpVersion, sendHttp } from "./http-request.js";
import type { Refusal } from "./refusal.js";

export interface JsonPathService extends Service {
  /** The HTTP version of the running test. The test's name determines it. The tests of `NodeRequest` compare both versions. */
  readonly version: HttpVersion;
  /** Sends a request. The response must match the OpenAPI document. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Sends a request that must get this HTTP status, and returns the JSON of its body. */
  readonly read: <T = unknown>(status: number, request: HttpRequest) => Promise<T>;
  /** Sends a request that must be rejected with this HTTP status, and returns the error. */
  readonly refuse: (status: number, request: HttpRequest) => Promise<Refusal & Pick<HttpAnswer, "headers">>;
}

/** Runs a suite on PostgreSQL, each test over one HTTP version. */
export const describeJsonPaths: DescribeSuite<JsonPathService> = (title, suite, config) => {
  const overVersions = (service: Service) => {
    let version: HttpVersion = "HTTP/1.1";
    beforeEach(({ task }) => {
      // Skips the last bit of the checksum, which determines the protocol of the test's API client.
      version = HTTP_VERSIONS[(crc32(task.name) >>> 1) % HTTP_VERSIONS.length] as HttpVersion;
    });
    const send = async (request: HttpRequest) => {
      const answer = await sendHttp(version, service.server.port, request);
      expectDocumented(request.method ?? "GET", request.target, answer, config?.basePath);
      return answer;
    };
    const answerTo = async (status: number, request: HttpRequest) => {
      const answer = await send(request);
      expect(answer).toMatchObject({ status });
      return answer;
    };
    const read = async (status: number, request: HttpRequest) => JSON.parse((await answerTo(status, request)).text);
    const refuse: JsonPathService["refuse"] = async (status, request) => {
      const { headers, text } = await answerTo(status, request);
      return { headers, ...expectErrorShape(status, headers["content-type"], text) };
    };
    suite(
      Object.create(service, {
        version: { get: () => version },
        send: { value: send },
        read: { value: read },
        refuse: { value: refuse },
      }),
    );
  };
  describeOnPostgres(title, overVersions, config);
};
