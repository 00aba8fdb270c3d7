import type { DescMethod } from "@bufbuild/protobuf";

/**
 * Creates the function that returns unique operation ids. An id is the name of the method, such as `createBook`. The name of
 * the service comes first if several services have the method, and further bindings get a number.
 */
export function createOperationNamer(methods: readonly DescMethod[]): (rpc: DescMethod) => string {
  const services = new Map<string, Set<string>>();
  for (const { localName, parent } of methods) {
    services.set(localName, (services.get(localName) ?? new Set()).add(parent.typeName));
  }
  const counts = new Map<string, number>();
  return (rpc) => {
    const isUnique = services.get(rpc.localName)?.size === 1;
    const name = isUnique ? rpc.localName : `${rpc.parent.typeName.replaceAll(".", "_")}_${rpc.localName}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  };
}
