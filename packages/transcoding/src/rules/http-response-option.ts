import { type DescFile, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { Code } from "../gen/google/rpc/code_pb.js";
import {
  type Failure,
  type HttpResponse,
  http as httpResponseOption,
  failures as sharedFailuresOption,
} from "../gen/transcoding/v1/http_pb.js";
import { createWeakCache } from "../values/weak-cache.js";

/**
 * Returns the `transcoding.v1.http` option of a method; undefined if the method has none. Replaces a failure that has only a reason with the shared
 * failure for that reason, which the method's file or a file that it imports may declare.
 */
export const findHttpResponseOption = createWeakCache((method: DescMethod): HttpResponse | undefined => {
  if (!hasOption(method, httpResponseOption)) return undefined;
  const response = getOption(method, httpResponseOption);
  const isShared = ({ code, description, status }: Failure) => code === Code.OK && description === "" && status === 0;
  if (!response.failures.some(isShared)) return response;
  const shared = sharedFailuresOf(method.parent.file);
  const failures = response.failures.map((each) => (isShared(each) ? (shared.get(each.reason) ?? each) : each));
  return { ...response, failures };
});

const sharedFailuresOf = createWeakCache((file: DescFile): ReadonlyMap<string, Failure> => {
  const all = [file, ...file.dependencies].flatMap((each) => getOption(each, sharedFailuresOption));
  return new Map(all.map((failure) => [failure.reason, failure]));
});
