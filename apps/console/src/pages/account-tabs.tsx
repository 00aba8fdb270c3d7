import { linkTo } from "../routing/route";
import { Tabs } from "../ui/tabs";

const SECTIONS = [
  ["Pools", "pools"],
  ["Calls", "calls"],
  ["Report", "report"],
  ["Numbers", "numbers"],
] as const;

/** Links to the pages of an account. */
export function AccountTabs({ account, current }: { readonly account: string; readonly current: string }) {
  return (
    <Tabs
      label="Account"
      tabs={SECTIONS.map(
        ([text, section]) => [text, linkTo("accounts", account, section), section === current] as const,
      )}
    />
  );
}

/** Links to the pages above those of an account. */
export function accountPath(): readonly (readonly [text: string, href: string])[] {
  return [["Accounts", linkTo("accounts")]];
}
