import type { DescMethod } from "@bufbuild/protobuf";

/**
 * Creates the function that names operations, each differently: by its method, such as `createBook`, with the service's name
 * in front where several services have a method of the name, and with a number for each further binding.
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
