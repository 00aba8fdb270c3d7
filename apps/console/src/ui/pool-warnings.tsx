import { PoolWarning } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { formatCountWithNoun } from "../format/number-text";
import { Badge, type BadgeKind } from "./badge";

/** The fields of a pool that the texts of its warnings contain. */
interface WarnedPool {
  readonly warnings: readonly PoolWarning[];
  readonly unservedSources?: number | undefined;
  readonly missingNumbers?: number | undefined;
}

const TEXTS: Readonly<Record<PoolWarning, readonly [BadgeKind, (pool: WarnedPool) => string]>> = {
  [PoolWarning.UNSPECIFIED]: ["neutral", () => "unknown warning"],
  [PoolWarning.STARVED]: [
    "bad",
    ({ unservedSources = 0 }) => `starved: ${formatCountWithNoun(unservedSources, "source")} without a number`,
  ],
  [PoolWarning.NUMBERS_MISSING]: [
    "warning",
    ({ missingNumbers = 0 }) => `${formatCountWithNoun(missingNumbers, "number")} missing`,
  ],
  [PoolWarning.FROZEN]: ["neutral", () => "frozen: call tracking disabled"],
  [PoolWarning.OVER_SIZE]: ["warning", () => "more call trackers than the pool's size"],
  [PoolWarning.NOT_SHOWN]: ["neutral", () => "not shown on web pages: no property"],
  [PoolWarning.FAILING]: ["bad", () => "last pass failed"],
};

/** Shows the warnings about a pool, or the text `none`. */
export function PoolWarnings({ pool }: { readonly pool: WarnedPool }) {
  if (pool.warnings.length === 0) return <span class="muted">none</span>;
  return (
    <span class="badges">
      {pool.warnings.map((warning) => {
        const [kind, text] = TEXTS[warning] ?? TEXTS[PoolWarning.UNSPECIFIED];
        return (
          <Badge key={warning} kind={kind}>
            {text(pool)}
          </Badge>
        );
      })}
    </span>
  );
}
