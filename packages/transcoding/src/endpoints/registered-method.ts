import type { DescMethod } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createMethodImplSpec,
  createServiceImplSpec,
  type Interceptor,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { DEFAULT_READ_MAX_BYTES } from "../http/read-body.js";

/** The options that apply to one method, with the same meaning as in Connect. The options in a service's registration replace the default options. */
export interface MethodOptions {
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly maxTimeoutMs: number;
  readonly shutdownSignal: AbortSignal | undefined;
  readonly requestGate: RequestGate | undefined;
  readonly aroundDeadline: DeadlineWrapper | undefined;
}

/** Called with the context of an RPC before the request body is read. Rejects the RPC by throwing. */
export type RequestGate = NonNullable<ConnectRouterOptions["requestGate"]>;

/** Runs the work of an RPC whose client set a timeout. Must call `work` and return its result. */
export type DeadlineWrapper = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export interface RegisteredMethod {
  readonly spec: MethodImplSpec;
  readonly options: MethodOptions;
  /** The options that `options.routes` passed to `router.service` or `router.rpc`. */
  readonly registration: RouterOptions;
}

type RouterOptions = Parameters<ConnectRouter["service"]>[2];

/** The function that registers implementations, and the default options for their methods. */
export interface RegistrationOptions extends Partial<MethodOptions> {
  readonly routes: (router: ConnectRouter) => void;
}

/** Collects the registered implementations. As in Connect, missing methods are unimplemented, and a later registration replaces an earlier one. */
export function collectRegisteredMethods(options: RegistrationOptions): ReadonlyMap<DescMethod, RegisteredMethod> {
  const methods = new Map<DescMethod, RegisteredMethod>();
  const record = (spec: MethodImplSpec, registration: RouterOptions) =>
    methods.set(spec.method, { spec, options: mergeOptions(options, registration), registration });
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation, options) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) record(spec, options);
      return router;
    },
    rpc(method, implementation, options) {
      record(createMethodImplSpec(method, implementation), options);
      return router;
    },
  };
  options.routes(router);
  return methods;
}

function mergeOptions(defaults: Partial<MethodOptions>, own: RouterOptions = {}): MethodOptions {
  return {
    interceptors: own.interceptors ?? defaults.interceptors ?? [],
    readMaxBytes: own.readMaxBytes ?? defaults.readMaxBytes ?? DEFAULT_READ_MAX_BYTES,
    maxTimeoutMs: own.maxTimeoutMs ?? defaults.maxTimeoutMs ?? Number.POSITIVE_INFINITY,
    shutdownSignal: own.shutdownSignal ?? defaults.shutdownSignal,
    requestGate: own.requestGate ?? defaults.requestGate,
    aroundDeadline: defaults.aroundDeadline,
  };
}
