import {
  DniService,
  ResolvedNumberSchema,
  ResolveVisitResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { rowFromMessage } from "../../output/resource-row.js";

interface ExplainVisitOptions {
  readonly referrer?: string;
  readonly page?: string;
  readonly utmSource?: string;
  readonly utmMedium?: string;
  readonly ref?: string;
  readonly clickId?: string[];
  readonly ignoreReferrer?: string[];
  readonly userAgent?: string;
}

export function addExplainVisit(dni: CliCommand): void {
  dni
    .command("explain-visit")
    .description(
      "show a visit's source, the rule that determined it, and the numbers that the visitor sees; does not count the visit",
    )
    .accountArgument()
    .argument("<property>", "the property's identifier on the platform")
    .option("--referrer <address>", "scheme and host of the referrer, such as https://www.google.com")
    .option("--page <address>", "scheme and host of the first page, such as https://shop.example")
    .option("--utm-source <name>", "the parameter utm_source in the page's address")
    .option("--utm-medium <name>", "the parameter utm_medium in the page's address")
    .option("--ref <name>", "the parameter ref in the page's address")
    .option("--click-id <names...>", "names of other parameters in the page's address, such as gclid")
    .option("--ignore-referrer <hosts...>", "hosts in the script's attribute data-ignore-referrers")
    .option("--user-agent <text>", "the visitor's User-Agent header, which identifies crawlers")
    .run(async (invocation, accountId: string, propertyToken: string, options: ExplainVisitOptions) => {
      // Without a user agent, the server would use the one of this request, and treat it as a crawler's.
      const { clickId: clickIds = [], ignoreReferrer: ignoredReferrers = [], userAgent = "", ...seen } = options;
      const request = { accountId, propertyToken, evidence: { ...seen, clickIds, ignoredReferrers, userAgent } };
      const message = await invocation.client(DniService).resolveVisit(request);
      const { numbers: _, ...facts } = rowFromMessage(ResolveVisitResponseSchema, message);
      const view = { schema: ResolveVisitResponseSchema };
      const itemView = { schema: ResolvedNumberSchema, expendable: ["pool_id"] };
      await invocation.showReport({ view, message, itemView, items: message.numbers, facts });
    })
    .examples(
      "calltrack dni explain-visit acme www --referrer https://www.google.com --page https://shop.example",
      "calltrack dni explain-visit acme www --utm-source newsletter --utm-medium email",
      "calltrack dni explain-visit acme www --referrer https://l.instagram.com --click-id fbclid",
    );
}
