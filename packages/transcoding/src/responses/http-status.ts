import { Code } from "@connectrpc/connect";
import { Code as RpcCode } from "../gen/google/rpc/code_pb.js";

/** Whether a number is one of Connect's error codes. A ConnectError can be created with any number. */
export function isConnectCode(code: number): code is Code {
  return Object.hasOwn(Code, code);
}

/** Returns the HTTP status for an error code according to google/rpc/code.proto. Connect uses the same statuses. */
export { codeToHttpStatus as httpStatusFromCode } from "@connectrpc/connect/protocol-connect";

/** Returns the name of an error code in google/rpc/code.proto, such as `NOT_FOUND`. */
export function codeToName(code: Code): string {
  return RpcCode[code] as string;
}
