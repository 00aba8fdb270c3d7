import { CallerSchema, CallerService, CredentialKind } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { Command } from "commander";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { rowFromMessage } from "../../output/resource-row.js";
import type { Host } from "../../process/host.js";

/** Defines `whoami`, which shows how the server sees the caller. */
export function defineWhoami(whoami: Command, host: Host): void {
  whoami.action(
    createAction(host, async (invocation) => {
      const caller = await invocation.client(CallerService).whoAmI({}, invocation.call);
      const { output, columns } = invocation.options;
      if (caller.credential !== CredentialKind.NONE || output !== "table" || columns !== undefined) {
        return await invocation.show({ schema: CallerSchema }, caller);
      }
      // Without a credential, the other fields are absent.
      const { scopes = null } = rowFromMessage(CallerSchema, caller);
      await invocation.showRow({ credential: "none, because the server requires no authentication", scopes });
    }),
  );
  addExamples(whoami, ["calltrack whoami", "calltrack whoami --profile staging --output json"]);
}
