import { create, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import {
  type HttpResponse,
  HttpResponseSchema,
  LinkSchema,
  ResponseHeaderSchema,
} from "../gen/transcoding/v1/http_pb.js";

const TOKEN = "next_page_token";
const PARAMETER = "page_token";

/**
 * Adds the headers `X-Next-Page-Token` and `Link` to the responses of an RPC that returns pages of a list (AIP-158). Call it only if the response
 * body is the bare list of items, which has no place for the token. Changes nothing if the option already names a header or link for the token.
 */
export function addPageHeaders(rpc: DescMethod, response: HttpResponse | undefined): HttpResponse | undefined {
  if (rpc.methodKind !== "unary" || !hasText(rpc.output, TOKEN) || !hasText(rpc.input, PARAMETER)) return response;
  const { headers = [], links = [], ...others } = response ?? create(HttpResponseSchema);
  if ([...headers, ...links].some(({ field }) => field === TOKEN)) return response;
  return create(HttpResponseSchema, {
    ...others,
    headers: [create(ResponseHeaderSchema, { name: "X-Next-Page-Token", field: TOKEN }), ...headers],
    links: [create(LinkSchema, { rel: "next", parameter: PARAMETER, field: TOKEN }), ...links],
  });
}

function hasText({ fields }: DescMessage, name: string): boolean {
  return fields.some((field) => field.name === name && field.scalar === ScalarType.STRING);
}
