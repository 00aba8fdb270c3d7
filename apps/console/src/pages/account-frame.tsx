import type { ComponentChildren } from "preact";
import { linkTo } from "../routing/route";
import { Page } from "../ui/page";
import { Tabs } from "../ui/tabs";

const SECTIONS = [
  ["Pools", "pools"],
  ["Calls", "calls"],
  ["Report", "report"],
  ["Numbers", "numbers"],
] as const;

interface AccountFrameProps {
  readonly account: string;
  readonly current: (typeof SECTIONS)[number][1];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page of an account, with links to the others. */
export function AccountFrame({ account, current, actions, children }: AccountFrameProps) {
  const tabs = SECTIONS.map(
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

/** Links to the pages above those of a pool. */
export function poolPath(account: string): readonly (readonly [text: string, href: string])[] {
  return [ACCOUNTS, [account, linkTo("accounts", account, "pools")]];
}
