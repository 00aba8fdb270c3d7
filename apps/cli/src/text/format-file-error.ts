import { getSystemErrorMessage } from "node:util";

/** Returns the operating system's text for a file error, without the system call and path that Node.js adds. */
export function formatFileError(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}
