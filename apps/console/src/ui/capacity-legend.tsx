import { ChartLegend } from "./chart-legend";

const MARKS = [
  ["part-active", "active"],
  ["part-flagged", "flagged"],
  ["part-available", "available"],
  ["part-missing", "not filled"],
] as const;

export function CapacityLegend() {
  return <ChartLegend label="Parts of the bars" marks={MARKS} />;
}
