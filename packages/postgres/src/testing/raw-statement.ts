import type { RawBuilder } from "kysely";
import { createStatementFactory, type ParameterGetter } from "../prepared-statement.js";

const { prepareStatement } = createStatementFactory<unknown>();

export function prepareRaw<P, R>(build: (parameter: ParameterGetter<P>) => RawBuilder<R>) {
  return prepareStatement<P, R>((db, parameter) => ({ compile: () => build(parameter).compile(db) }));
}
