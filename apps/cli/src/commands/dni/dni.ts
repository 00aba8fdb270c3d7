import { DniService, ResolvedNumberSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { addExplainVisitCommand } from "./dni-explain-visit.js";

interface NumbersOptions {
  readonly source?: string;
  readonly medium?: string;
}

const resolvedNumberView = { schema: ResolvedNumberSchema, expendable: ["pool_id"] };

export function defineCommand(dni: CliCommand): void {
  addNumbers(dni);
  addExplainVisitCommand(dni);
  dni.subcommandExamples();
}

function addNumbers(dni: CliCommand): void {
  dni
    .command("numbers")
    .description("list the numbers that replace a property's original numbers for a visitor")
    .accountArgument()
    .argument("<property>", "the property's token, which identifies it on your platform")
    .option("--source <source>", "the visitor's source, such as google (default: unknown)")
    .option("--medium <medium>", "the visitor's medium, such as cpc (default: unknown)")
    .run(async (invocation, accountId: string, propertyToken: string, { source, medium }: NumbersOptions) => {
      const visitor = { accountId, propertyToken, source, medium };
      const response = await invocation.client(DniService).resolveNumbers(visitor);
      await invocation.showList(resolvedNumberView, [response.numbers]);
    })
    .examples("calltrack dni numbers acme www", "calltrack dni numbers acme www --source google --medium cpc");
}
