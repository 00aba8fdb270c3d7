import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import { resolvedNumberView } from "../views/dni-view.js";

interface NumbersOptions {
  readonly source?: string;
  readonly medium?: string;
}

/** Gives `dni` the command on the numbers that a page shows. */
export function defineDni(dni: Command, host: Host): void {
  addExamples(dni, ["calltrack dni numbers www --source google --medium cpc"]);
  addNumbers(dni, host);
}

function addNumbers(dni: Command, host: Host): void {
  const numbers = dni
    .command("numbers")
    .description("list the number that a visitor sees in place of each original number of a property")
    .argument("<property>", "the property's identifier on the platform")
    .option("--source <source>", "where the visitor comes from, such as google (default: from nowhere known)")
    .option("--medium <medium>", "the kind of the visit, such as cpc")
    .action(
      createAction(host, async (invocation, propertyToken: string, { source, medium }: NumbersOptions) => {
        const visitor = { propertyToken, source, medium };
        const response = await invocation.client(DniService).resolveNumbers(visitor, invocation.call);
        await invocation.showList(resolvedNumberView, [response.numbers]);
      }),
    );
  addExamples(numbers, ["calltrack dni numbers www", "calltrack dni numbers www --source google --medium cpc"]);
}
