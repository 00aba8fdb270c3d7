import {
  DniService,
  ResolvedNumberSchema,
  ResolveVisitResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { rowFromMessage } from "../../output/output-row.js";

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

export function addExplainVisitCommand(dni: CliCommand): void {
  dni
    .command("explain-visit")
    .description(
      "show a visit's source, the rule that determined it, and the numbers that the visitor sees; does not count the visit",
    )
    .accountArgument()
    .argument("<property>", "the property's token, which identifies it on your platform")
    .option("--referrer <address>", "scheme and host of the referrer, such as https://www.google.com")
    .option("--page <address>", "scheme and host of the first page of the visit, such as https://shop.example")
    .option("--utm-source <name>", "the value of the parameter utm_source in the page's address")
    .option("--utm-medium <name>", "the value of the parameter utm_medium in the page's address")
    .option("--ref <name>", "the value of the parameter ref in the page's address")
    .option(
      "--click-id <names...>",
      "names of parameters in the page's address besides utm_source, utm_medium and ref, such as gclid",
    )
    .option(
      "--ignore-referrer <hosts...>",
      "hosts to ignore as referrers, as in the attribute data-ignore-referrers of Calltrack's script",
    )
    .option("--user-agent <text>", "the visitor's User-Agent header, which identifies crawlers")
    .run(async (invocation, accountId: string, propertyToken: string, options: ExplainVisitOptions) => {
      // If `userAgent` were absent, the server would use the User-Agent header of the CLI's own request, and treat the visitor as a crawler.
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
