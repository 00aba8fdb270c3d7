import { isbot } from "isbot";

/** Matches programs that isbot mistakes for browsers: they fetch pages for assistants, previews, tests and scans. */
const MISSED =
  /Amzn-User|Assetnote|Browsertime|Calibre\/|DebugBear|GTmetrix|HLB\/|HappyDOM|Miniature\.io|ObservePoint|OneTrust|Presence\)$|ThousandEyes|Uptrends|wkhtmlto|YLT /;

/** Matches browsers that isbot mistakes for programs: those of WeChat and other apps, and of some phones. */
const PEOPLE = /MicroMessenger\/|NewsArticle\/|SohuNews\/|qqnews\/|SogouMobileBrowser\/|AlipayClient\/|AliApp\(/;

/** Reports whether a User-Agent belongs to a crawler, or to another program that is not a visitor. */
export function isCrawler(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false;
  return (
    MISSED.test(userAgent) || (isbot(userAgent) && !(PEOPLE.test(userAgent) && !/bot|spider|crawl/i.test(userAgent)))
  );
}
