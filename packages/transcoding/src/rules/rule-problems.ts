import type { DescMethod } from "@bufbuild/protobuf";
import { PathTemplateError } from "../routing/path-template.js";
import { FieldPathError } from "./field-path.js";

/** Thrown for invalid HTTP rules. The message lists all problems of all services, one problem on each line. */
export class HttpRuleError extends Error {
  override readonly name = "HttpRuleError";

  /** @param problems descriptions of the problems. Each begins with the full names of the RPCs that it concerns. */
  constructor(readonly problems: readonly string[]) {
    super(["correct the HTTP rules:", ...problems].join("\n  "));
  }
}

/** Collects the problems of the rules for one RPC, so that a single error can list all problems. */
export class RuleProblems {
  readonly #rpc: DescMethod;
  readonly #problems: string[];

  constructor(rpc: DescMethod, problems: string[]) {
    this.#rpc = rpc;
    this.#problems = problems;
  }

  /** The number of problems that were collected for all RPCs. */
  get count(): number {
    return this.#problems.length;
  }

  /** Adds a problem. Returns undefined, so that a function can add a problem and return in one statement. */
  add(problem: string): undefined {
    this.#problems.push(`${formatRpcName(this.#rpc)}: ${problem}`);
  }

  /** Returns the result of `read`. If `read` throws a PathTemplateError or FieldPathError, adds a problem and returns undefined. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof PathTemplateError || error instanceof FieldPathError)) throw error;
      return this.add(error.message);
    }
  }
}

/** Returns the full name of an RPC, such as `library.v1.LibraryService.GetBook`. */
export function formatRpcName(rpc: DescMethod): string {
  return `${rpc.parent.typeName}.${rpc.name}`;
}
