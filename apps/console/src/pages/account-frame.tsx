import type { ComponentChildren } from "preact";
import { hasScope } from "../api/identity";
import { linkTo } from "../routing/route";
import { Page } from "../ui/page";
import { Tabs } from "../ui/tabs";

const SECTIONS = [
  ["Pools", "pools"],
  ["Calls", "calls"],
  ["Report", "report"],
  ["Numbers", "numbers"],
  ["Webhook endpoints", "webhook-endpoints"],
] as const;

interface AccountFrameProps {
  readonly account: string;
  readonly current: (typeof SECTIONS)[number][1];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of an account's pages, with links to all of them. */
export function AccountFrame({ account, current, actions, children }: AccountFrameProps) {
  const sections = SECTIONS.filter(([, section]) => section !== "webhook-endpoints" || hasScope("admin"));
  const tabs = sections.map(
    ([text, section]) => [text, linkTo("accounts", account, section), section === current] as const,
  );
  return (
    <Page title={account} path={[ACCOUNTS]} actions={actions}>
      <Tabs label="Account" tabs={tabs} />
      {children}
    </Page>
  );
}

const ACCOUNTS = ["Accounts", linkTo("accounts")] as const;

type Path = readonly (readonly [text: string, href: string])[];

/** Returns the breadcrumb links for the pages of a pool. */
export function poolPath(account: string): Path {
  return [ACCOUNTS, [account, linkTo("accounts", account, "pools")]];
}

/** Returns the URL of the page with the webhook endpoints, or of one of them. An empty account stands for those of all accounts. */
export function webhookEndpointsLink(account: string, ...id: readonly string[]): string {
  const section = account === "" ? [] : ["accounts", account];
  return linkTo(...section, "webhook-endpoints", ...id);
}

/** Returns the breadcrumb links for the page of a webhook endpoint. */
export function webhookEndpointPath(account: string): Path {
  const list = ["Webhook endpoints", webhookEndpointsLink(account)] as const;
  return account === "" ? [list] : [...poolPath(account), list];
}
