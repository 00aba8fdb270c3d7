import { createRouter, parsePathTemplate } from "@calltrack/transcoding";
import type { Case } from "./measure-cases.ts";

/** Compared numbers of routes, with paths of equal length. */
export const ROUTE_COUNTS = [10, 100, 1_000, 10_000];

/** Compared lengths of paths, with equal numbers of routes. */
export const PATH_LENGTHS = [2, 4, 8, 16];

const ROUTES_PER_LENGTH = 1_000;
const SEGMENTS_PER_COUNT = 4;

/** Number of requested routes in the small case: few enough for the CPU caches. */
export const SOME_ROUTES = 10;

/** Creates cases that find one of a few routes, by the total number of routes. */
export function createFewRoutesCases(): readonly Case[] {
  return ROUTE_COUNTS.map((count) => routeCountCase(count, SOME_ROUTES));
}

/** Creates cases that find each of the routes in turn, by the total number of routes. */
export function createAllRoutesCases(): readonly Case[] {
  return ROUTE_COUNTS.map((count) => routeCountCase(count, count));
}

function routeCountCase(count: number, asked: number): Case {
  return routingCase(count.toLocaleString("en"), count, SEGMENTS_PER_COUNT, asked);
}

/** Creates cases that find a route, by the length of its path. */
export function createPathLengthCases(): readonly Case[] {
  return PATH_LENGTHS.map((length) => routingCase(`${length} segments`, ROUTES_PER_LENGTH, length, SOME_ROUTES));
}

/** Creates a case whose paths alternate literals and variables, like paths of resources; the first segment differs. */
function routingCase(title: string, routes: number, segments: number, asked: number): Case {
  const router = createRouter(
    Array.from({ length: routes }, (_, route) => {
      const text = Array.from({ length: segments }, (_, index) => templateSegment(route, index)).join("/");
      return { method: "GET", template: parsePathTemplate(`/${text}`), value: route };
    }),
  );
  const paths = Array.from({ length: routes }, (_, route) => {
    return `/${Array.from({ length: segments }, (_, index) => pathSegment(route, index)).join("/")}`;
  });
  for (const [route, path] of paths.entries()) {
    const match = router.route("GET", path);
    if (match.kind !== "found" || match.route.value !== route) throw new Error(`${path} matches another route`);
  }
  const distance = routes / asked;
  // A step coprime to the number of paths visits all of them, out of order.
  return { title, run: (index) => router.route("GET", paths[((index * 7919) % asked) * distance] ?? "") };
}

function templateSegment(route: number, index: number): string {
  return index % 2 === 0 ? literal(route, index) : `{field_${index}}`;
}

function pathSegment(route: number, index: number): string {
  return index % 2 === 0 ? literal(route, index) : `018f6b1c-${String(route + index).padStart(8, "0")}`;
}

function literal(route: number, index: number): string {
  return index === 0 ? `things${String(route).padStart(6, "0")}` : `parts${index}`;
}
