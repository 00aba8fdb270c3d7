import { getSystemErrorMessage } from "node:util";

/** What the operating system says of a failure on a file, without the call and the path that Node.js adds. */
export function fileErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}
