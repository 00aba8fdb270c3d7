import { CallerSchema, CallerService, CredentialKind } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { rowFromMessage } from "../../output/output-row.js";

/** Defines `whoami`, which shows the credential that the server recognizes. */
export function defineCommand(whoami: CliCommand): void {
  whoami.run(async (invocation) => {
    const caller = await invocation.client(CallerService).whoAmI({});
    const { output, columns } = invocation.options;
    if (caller.credential !== CredentialKind.NONE || output !== "table" || columns !== undefined) {
      return await invocation.show({ schema: CallerSchema }, caller);
    }
    // Without a credential, the response contains no facts about the caller except the scopes.
    const { scopes = null } = rowFromMessage(CallerSchema, caller);
    await invocation.showRow({ credential: "none, because the server requires no authentication", scopes });
  });
  whoami.examples("calltrack whoami", "calltrack whoami --profile staging --output json");
}
