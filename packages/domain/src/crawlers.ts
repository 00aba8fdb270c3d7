import { isbot } from "isbot";

/** Matches the User-Agents of programs that isbot mistakes for browsers. They fetch pages for assistants, previews, tests and scans. */
const MISSED =
  /Amzn-User|Assetnote|Browsertime|Calibre\/|DebugBear|GTmetrix|HLB\/|HappyDOM|Miniature\.io|ObservePoint|OneTrust|Presence\)$|ThousandEyes|Uptrends|wkhtmlto|YLT /;

/** Matches the User-Agents of browsers that isbot mistakes for programs: the browsers in WeChat and other apps, and those of some phones. */
const PEOPLE = /MicroMessenger\/|NewsArticle\/|SohuNews\/|qqnews\/|SogouMobileBrowser\/|AlipayClient\/|AliApp\(/;

/** Reports whether a User-Agent belongs to a crawler, or to another program that fetches pages without a visitor. */
export function isCrawler(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false;
  return (
    MISSED.test(userAgent) || (isbot(userAgent) && !(PEOPLE.test(userAgent) && !/bot|spider|crawl/i.test(userAgent)))
  );
}
