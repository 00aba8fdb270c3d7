import { describe, expect } from "vitest";
import { type DescribeSuite, describeOnPostgres, type Service } from "./behaviour.js";
import { expectErrorShape } from "./error-shape.js";
import { expectDocumented } from "./expect-documented.js";
import { HTTP_VERSIONS, type HttpAnswer, type HttpRequest, type HttpVersion, sendHttp } from "./http-request.js";
import type { Refusal } from "./refusal.js";

/** The server of a suite, and raw requests to its JSON paths over one HTTP version. */
export interface JsonPathService extends Service {
  readonly version: HttpVersion;
  /** Sends a request. The response must match the OpenAPI document. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Sends a request that must get this HTTP status, and returns the JSON of its body. */
  readonly read: <T = unknown>(status: number, request: HttpRequest) => Promise<T>;
  /** Sends a request that must be refused with this HTTP status, and returns the error. */
  readonly refuse: (status: number, request: HttpRequest) => Promise<Refusal & Pick<HttpAnswer, "headers">>;
}

/** Runs a suite on PostgreSQL, over HTTP/1.1 and HTTP/2. */
export const describeJsonPaths: DescribeSuite<JsonPathService> = (title, suite, config) => {
  const overVersions = (service: Service) =>
    describe.each(HTTP_VERSIONS)("over %s", (version) => {
      const send = async (request: HttpRequest) => {
        const answer = await sendHttp(version, service.server.port, request);
        expectDocumented(request.method ?? "GET", request.target, answer, config?.basePath);
        return answer;
      };
      const read = async (status: number, request: HttpRequest) => {
        const answer = await send(request);
        expect(answer).toMatchObject({ status });
        return JSON.parse(answer.text);
      };
      const refuse: JsonPathService["refuse"] = async (status, request) => {
        const answer = await send(request);
        expect(answer).toMatchObject({ status });
        const { headers, text } = answer;
        return { headers, ...expectErrorShape(status, headers["content-type"], text) };
      };
      suite(
        Object.create(service, {
          version: { value: version },
          send: { value: send },
          read: { value: read },
          refuse: { value: refuse },
        }),
      );
    });
  describeOnPostgres(title, overVersions, config);
};
