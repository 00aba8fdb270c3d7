import { type Pool, type PoolExplanation, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatCount, formatPercent } from "../../format/number-text";
import { linkTo } from "../../routing/route";
import { CapacityBar } from "../../ui/capacity-bar";
import { LabeledValue } from "../../ui/labeled-value";
import { LocalTime } from "../../ui/local-time";

interface PoolFactsProps {
  readonly pool: Pool;
  readonly explanation: PoolExplanation;
}

export function PoolFacts({ pool, explanation }: PoolFactsProps) {
  const { unservedSources, missingNumbers, lastPassAt, nextPassAt, nextFreeAt, failedPasses } = explanation;
  const badIf = (isBad: boolean) => (isBad ? "bad" : undefined);
  const utilization =
    pool.utilization === undefined
      ? formatEnumValueAsWords(PoolTypeSchema, pool.poolType)
      : formatPercent(pool.utilization);
  return (
    <dl class="facts">
      <LabeledValue
        name="Call trackers"
        kind="wide"
        value={<CapacityBar {...explanation} size={pool.size} inWords />}
      />
      <LabeledValue name="Utilization" value={utilization} />
      <LabeledValue
        name="Sources without a number"
        kind={badIf(unservedSources > 0)}
        value={formatCount(unservedSources)}
      />
      <LabeledValue name="Numbers missing" kind={badIf(missingNumbers > 0)} value={formatCount(missingNumbers)} />
      <LabeledValue name="Advised size" value={<AdvisedSize pool={pool} size={explanation.advisedSize} />} />
      <LabeledValue name="Next free number" value={<LocalTime value={nextFreeAt} none="none expected" />} />
      <LabeledValue name="Next pass" value={<LocalTime value={nextPassAt} none="none due" />} />
      <LabeledValue
        name="Last pass"
        kind={badIf(failedPasses > 0)}
        value={<LocalTime value={lastPassAt} none="none yet" />}
      />
    </dl>
  );
}

function AdvisedSize({ pool, size }: { readonly pool: Pool; readonly size: number | undefined }) {
  if (size === undefined) return <>no size is enough</>;
  if (size === pool.size) return <>{formatCount(size)}</>;
  return (
    <>
      {formatCount(size)}{" "}
      <a class="note" href={`${linkTo("accounts", pool.accountToken, "pools", pool.id, "resize")}?size=${size}`}>
        plan it
      </a>
    </>
  );
}
