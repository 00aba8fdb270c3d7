import type { DescMethod } from "@bufbuild/protobuf";
import { PathTemplateError } from "../routing/path-template.js";
import { FieldPathError } from "./field-path.js";

/** Everything that is wrong with the HTTP rules of a set of services, in one error, a line for each problem. */
export class HttpRuleError extends Error {
  override readonly name = "HttpRuleError";
  /** Each begins with the full names of the RPCs concerned. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(["correct the HTTP rules:", ...problems].join("\n  "));
    this.problems = problems;
  }
}

/** Collects what is wrong with the rules of one RPC, so that one error can name everything. */
export class RuleProblems {
  readonly #rpc: DescMethod;
  readonly #problems: string[];

  /** Problems are added to `problems`. */
  constructor(rpc: DescMethod, problems: string[]) {
    this.#rpc = rpc;
    this.#problems = problems;
  }

  /** How many have been added, whatever the RPC. */
  get count(): number {
    return this.#problems.length;
  }

  add(problem: string): void {
    this.#problems.push(`${printRpc(this.#rpc)}: ${problem}`);
  }

  /** What `read` returns; undefined when it throws an error of a path template or a field path, which becomes a problem. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof PathTemplateError || error instanceof FieldPathError)) throw error;
      this.add(error.message);
      return undefined;
    }
  }
}

/** The full name of an RPC, such as `library.v1.LibraryService.GetBook`. */
export function printRpc(rpc: DescMethod): string {
  return `${rpc.parent.typeName}.${rpc.name}`;
}
