import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpRule } from "../rules/http-rule.js";

/**
 * Creates the function that returns a unique operation id for each rule and HTTP method. For an RPC's first binding, the id is the name of the RPC,
 * such as `createBook`. If several services have an RPC with this name, the name of the service precedes it. The id of a further binding also names
 * the path variables that differ from the first binding, as in `getBookById` and `listBooksWithoutParent`. If that id is taken, the HTTP method
 * follows the name of the RPC. If that id is taken as well, a number follows.
 */
export function createOperationIdNamer(rules: readonly HttpRule[]) {
  const isUnique = ({ localName, parent }: DescMethod) =>
    rules.every(({ rpc }) => rpc.localName !== localName || rpc.parent.typeName === parent.typeName);
  const taken = new Set<string>();
  const firsts = new Map<DescMethod, HttpRule>();
  return (rule: HttpRule, httpMethod: string): string => {
    const { rpc } = rule;
    const name = isUnique(rpc) ? rpc.localName : `${rpc.parent.typeName.replaceAll(".", "_")}_${rpc.localName}`;
    const first = firsts.get(rpc) ?? rule;
    firsts.set(rpc, first);
    const byMethod = `${name}${toPascalCase(httpMethod.toLowerCase())}`;
    const candidates = [name, `${name}${describeDifference(rule, first)}`, byMethod];
    const id = candidates.find((each) => !taken.has(each)) ?? `${byMethod}${taken.size}`;
    taken.add(id);
    return id;
  };
}

function describeDifference(rule: HttpRule, first: HttpRule): string {
  const [own, before] = [listVariables(rule), listVariables(first)];
  const added = own.filter((name) => !before.includes(name));
  const missing = before.filter((name) => !own.includes(name));
  if (added.length > 0) return `By${added.join("And")}`;
  return missing.length > 0 ? `Without${missing.join("And")}` : "";
}

function listVariables({ pathFields }: HttpRule): readonly string[] {
  return pathFields.map((path) => path.map(({ name }) => toPascalCase(name)).join(""));
}

export function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}
