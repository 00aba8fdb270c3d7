import { once } from "node:events";
import { type RequestOptions, request } from "node:https";
import { text } from "node:stream/consumers";
import { Client, credentials } from "@grpc/grpc-js";
import type { Certificate } from "./certificate.js";

/** Sends a request over HTTPS to this machine, and returns the complete response. */
export async function sendHttps(options: RequestOptions, body?: string) {
  const sent = request({ host: "127.0.0.1", ...options }).end(body);
  const [response] = await once(sent, "response");
  return { status: Number(response.statusCode), headers: response.headers, text: await text(response) };
}

/** Opens a gRPC connection over TLS to this machine. */
export function createGrpcOverTls(port: number, ca: string, client?: Certificate): Client {
  const [root, key, cert] = [ca, client?.key, client?.cert].map((pem) => (pem === undefined ? null : Buffer.from(pem)));
  return new Client(`localhost:${port}`, credentials.createSsl(root, key, cert));
}
