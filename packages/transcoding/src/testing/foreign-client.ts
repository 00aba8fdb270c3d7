import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, compressionAlgorithms, credentials, Metadata, type MetadataValue } from "@grpc/grpc-js";

/** A unary call for a client of another gRPC implementation. */
export interface ForeignCall {
  readonly port: number;
  readonly path: string;
  readonly message: Uint8Array;
  /** The metadata. A value is base64 if its name ends in `-bin`. */
  readonly metadata?: readonly (readonly [string, string])[];
  readonly timeoutMs?: number;
  readonly cancelAfterMs?: number;
  readonly compressed?: boolean;
}

/** The response to a unary call, as the client of another gRPC implementation read it. */
export interface ForeignResponse {
  readonly code: number;
  readonly text: string;
  readonly header: Readonly<Record<string, string>>;
  readonly trailer: Readonly<Record<string, string>>;
  readonly message: Uint8Array | undefined;
}

/** A client of another gRPC implementation. */
export interface ForeignClient {
  call(call: ForeignCall): Promise<ForeignResponse>;
  close(): void;
}

export function createGrpcJsClient(): ForeignClient {
  return { call: callGrpcJs, close: () => {} };
}

function callGrpcJs(call: ForeignCall): Promise<ForeignResponse> {
  const options = {
    "grpc.max_receive_message_length": -1,
    ...(call.compressed && { "grpc.default_compression_algorithm": compressionAlgorithms.gzip }),
  };
  const client = new Client(`127.0.0.1:${call.port}`, credentials.createInsecure(), options);
  const metadata = new Metadata();
  for (const [name, value] of call.metadata ?? []) {
    metadata.add(name, name.endsWith("-bin") ? Buffer.from(value, "base64") : value);
  }
  const deadline = call.timeoutMs === undefined ? {} : { deadline: Date.now() + call.timeoutMs };
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    let header = {};
    let message: Buffer | undefined;
    const onAnswer = (_: unknown, answer: Buffer | undefined) => {
      message = answer;
    };
    const request = Buffer.from(call.message);
    const pending = client.makeUnaryRequest(call.path, same, same, request, metadata, deadline, onAnswer);
    pending.on("metadata", (received) => {
      header = toRecord(received);
    });
    pending.on("status", ({ code, details, metadata }) => {
      client.close();
      // Waits, because grpc-js calls the callback after it emits the event `status`.
      setImmediate(() => resolve({ code, text: details, header, trailer: toRecord(metadata), message }));
    });
    if (call.cancelAfterMs !== undefined) setTimeout(() => pending.cancel(), call.cancelAfterMs);
  });
}

function toRecord(metadata: Metadata): Record<string, string> {
  const textOf = (value: MetadataValue) => (typeof value === "string" ? value : value.toString("base64"));
  const names = Object.keys(metadata.getMap());
  return toFields(names.flatMap((name) => metadata.get(name).map((value) => [name, textOf(value)] as const)));
}

/** Finds a Python interpreter that has grpcio. Returns undefined if this machine has none. */
export function findGrpcio(): string | undefined {
  return ["python3", "/usr/bin/python3"].find((python) => {
    try {
      execFileSync(python, ["-c", "import grpc"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

/** Creates a client with Python's grpcio, in a separate process. */
export function createGrpcioClient(python: string): ForeignClient {
  const script = join(import.meta.dirname, "../../testing/grpc_client.py");
  const child: ChildProcess = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  return {
    async call({ message, ...call }) {
      child.stdin?.write(`${JSON.stringify({ ...call, message: Buffer.from(message).toString("base64") })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("the grpcio client process ended");
      const answer = JSON.parse(value);
      return {
        ...answer,
        header: toFields(answer.header),
        trailer: toFields(answer.trailer),
        message: answer.message === null ? undefined : Buffer.from(answer.message, "base64"),
      };
    },
    close: () => void child.stdin?.end(),
  };
}

function toFields(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of pairs) fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
  return fields;
}
