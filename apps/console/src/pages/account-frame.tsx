import type { ComponentChildren } from "preact";
import { hasScope } from "../api/caller-identity";
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

/** The frame around each page of an account, with links to all pages of the account. */
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

export function createPoolBreadcrumbs(account: string): Path {
  return [ACCOUNTS, [account, linkTo("accounts", account, "pools")]];
}

/** Returns the URL of the list of webhook endpoints or, with an id, of one webhook endpoint. An empty `account` means the list for all accounts. */
export function linkToWebhookEndpoints(account: string, ...id: readonly string[]): string {
  const section = account === "" ? [] : ["accounts", account];
  return linkTo(...section, "webhook-endpoints", ...id);
}

export function createWebhookEndpointBreadcrumbs(account: string): Path {
  const list = ["Webhook endpoints", linkToWebhookEndpoints(account)] as const;
  return account === "" ? [list] : [...createPoolBreadcrumbs(account), list];
}
