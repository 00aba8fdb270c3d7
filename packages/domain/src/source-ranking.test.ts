import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PassTracker } from "./pass-tracker.js";
import { createSourceKey } from "./source-medium.js";
import { type RankedSource, rankSources } from "./source-ranking.js";
import { anyPassInput } from "./testing/pass-history.js";
import { activeTracker, flaggedTracker } from "./testing/pass-scenario.js";

describe("rankSources", () => {
  test.each<[name: string, sources: readonly string[], trackers: readonly PassTracker[], order: readonly string[]]>([
    ["most visits first", ["a cpc 1", "b cpc 10", "c cpc 9"], [], ["b cpc 10", "c cpc 9", "a cpc 1"]],
    ["equal ones by source", ["b cpc 1", "a email 1"], [], ["a email 1", "b cpc 1"]],
    ["then by medium", ["a email 1", "a cpc 1"], [], ["a cpc 1", "a email 1"]],
    ["in the order of code points", ["\u{1F4DE} cpc 1", "\uffff cpc 1"], [], ["\uffff cpc 1", "\u{1F4DE} cpc 1"]],
    [
      "ties: sources with trackers first, active before flagged",
      ["a cpc 2", "b cpc 1", "c cpc 1", "d cpc 1"],
      [activeTracker("+1", "d"), flaggedTracker("+2", "c", 1)],
      ["a cpc 2", "d cpc 1", "c cpc 1", "b cpc 1"],
    ],
  ])("%s", (_, sources, trackers, order) => {
    const ranking = rankSources(sources.map(parseSource), trackers, 5, 0);
    expect(ranking.order).toEqual(order.map(parseSource));
  });

  test.each<[maxActive: number, threshold: number, top: number]>([
    [0, 0, 0],
    [2, 0, 2],
    [9, 0, 4],
    [9, 5, 3],
    [9, 6, 2],
    [1, 6, 1],
    [9, 9, 0],
  ])("top of at most %s with more than %s visits: %s", (maxActive, threshold, count) => {
    const { order, top } = rankSources(["a b 9", "c d 7", "e f 6", "g h 5"].map(parseSource), [], maxActive, threshold);
    expect(top).toEqual(order.slice(0, count));
  });

  test("does not depend on input order, and ranks the top sources and those that hold trackers", () => {
    fc.assert(
      fc.property(anyPassInput(), fc.nat(), ({ sources, trackers, settings }, turn) => {
        const ranking = rankSources(sources, trackers, 3, settings.visitThreshold);
        const turned = [...sources.slice(turn % 7), ...sources.slice(0, turn % 7)].reverse();
        expect(rankSources(turned, [...trackers].reverse(), 3, settings.visitThreshold)).toEqual(ranking);
        const holders = new Set(trackers.flatMap(({ source }) => (source ? createSourceKey(source) : [])));
        const ranks = ranking.order.flatMap((source, i) => {
          return i < ranking.top.length || holders.has(createSourceKey(source))
            ? [[createSourceKey(source), i + 1]]
            : [];
        });
        expect([...ranking.ranks]).toEqual(ranks);
      }),
    );
  });
});

function parseSource(text: string): RankedSource {
  const [source = "", medium = "", visits = ""] = text.split(" ");
  return { source, medium, visits: Number(visits) };
}
