interface AxisTextProps {
  readonly x: number;
  readonly y: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly text: string | number;
}

export function AxisText({ x, y, anchor = "middle", text }: AxisTextProps) {
  return (
    <text class="axis-text" x={x} y={y} text-anchor={anchor}>
      {text}
    </text>
  );
}
