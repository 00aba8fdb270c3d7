// The subset of SVG that the plots use.

/** Colours for light and dark mode. The background is drawn too, because a page may be light on a dark system. */
const STYLE = `
  svg { --ground: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d8dee4; --ours: #0969da; --theirs: #c4590a; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --grid: #2f353d; --ours: #58a6ff; --theirs: #f0883e; }
  }
  .ground { fill: var(--ground); }
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
  .title { font-weight: 600; font-size: 14px; }
  .group { font-weight: 600; }
  .faint { fill: var(--faint); font-size: 11px; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .grid { stroke: var(--grid); }
  .line { fill: none; stroke-width: 2; }
  .bar.ours, .dot.ours { fill: var(--ours); }
  .dot.theirs { fill: var(--theirs); }
  .line.ours { stroke: var(--ours); }
  .line.theirs { stroke: var(--theirs); }
  .mark { stroke: var(--ink); stroke-width: 1.5; fill: none; }
  .p99 { stroke-dasharray: 7 4; }
  .p999 { stroke-dasharray: 2 3; }`;

/** Formats a drawing as an SVG file. `title` is its text alternative. */
export function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(title)}</title>
<style>${STYLE}
</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
${parts.join("\n")}
</svg>
`;
}

export function text(classes: string, x: number, y: number, content: string): string {
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escapeText(content)}</text>`;
}

/** Draws a line through points. */
export function line(classes: string, points: readonly (readonly [x: number, y: number])[]): string {
  return `<polyline class="${classes}" points="${points.map((point) => point.map(round).join()).join(" ")}"/>`;
}

export function rect(classes: string, x: number, y: number, width: number, height: number): string {
  return `<rect class="${classes}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`;
}

export function dot(classes: string, x: number, y: number): string {
  return `<circle class="dot ${classes}" cx="${round(x)}" cy="${round(y)}" r="3"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
