import { isbot } from "isbot";

/** Marks of programs that isbot takes for browsers: they fetch pages for assistants, previews, tests and scans. */
const MISSED =
  /Amzn-User|Assetnote|Browsertime|Calibre\/|DebugBear|GTmetrix|HLB\/|HappyDOM|Miniature\.io|ObservePoint|OneTrust|Presence\)$|ThousandEyes|Uptrends|wkhtmlto|YLT /;

/** Marks of browsers that isbot takes for programs: WeChat's, news readers with a browser of their own, and phones. */
const PEOPLE = /MicroMessenger\/|NewsArticle\/|SohuNews\/|qqnews\/|SogouMobileBrowser\/|AlipayClient\/|AliApp\(/;

/** Whether a User-Agent is that of a crawler or another program that is no visitor. */
export function isCrawler(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false;
  return (
    MISSED.test(userAgent) || (isbot(userAgent) && !(PEOPLE.test(userAgent) && !/bot|spider|crawl/i.test(userAgent)))
  );
}
