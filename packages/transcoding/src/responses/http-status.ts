import { Code } from "@connectrpc/connect";
import { Code as RpcCode } from "../gen/google/rpc/code_pb.js";

/** Whether a number is an error code. A ConnectError can be created with any number. */
export function isConnectCode(code: number): code is Code {
  return Object.hasOwn(Code, code);
}

/** Returns the HTTP status that google/rpc/code.proto maps an error code to. Connect maps it to the same status. */
export { codeToHttpStatus as httpStatusFromCode } from "@connectrpc/connect/protocol-connect";

/** Returns the name of an error code in google/rpc/code.proto, such as `NOT_FOUND`. */
export function codeToName(code: Code): string {
  return RpcCode[code] as string;
}
