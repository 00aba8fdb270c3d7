import { type Pool, type PoolExplanation, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { enumText } from "../../format/enum-text";
import { countText, percentText } from "../../format/number-text";
import { linkTo } from "../../routing/route";
import { CapacityBar } from "../../ui/capacity-bar";
import { Fact } from "../../ui/fact";
import { Time } from "../../ui/time";

interface PoolFactsProps {
  readonly pool: Pool;
  readonly explanation: PoolExplanation;
}

export function PoolFacts({ pool, explanation }: PoolFactsProps) {
  const { unservedSources, missingNumbers, lastPassAt, nextPassAt, nextFreeAt, failedPasses } = explanation;
  const badIf = (isBad: boolean) => (isBad ? "bad" : undefined);
  const utilization =
    pool.utilization === undefined ? enumText(PoolTypeSchema, pool.poolType) : percentText(pool.utilization);
  return (
    <dl class="facts">
      <Fact name="Call trackers" kind="wide" value={<CapacityBar {...explanation} size={pool.size} inWords />} />
      <Fact name="Utilization" value={utilization} />
      <Fact name="Sources without a number" kind={badIf(unservedSources > 0)} value={countText(unservedSources)} />
      <Fact name="Numbers missing" kind={badIf(missingNumbers > 0)} value={countText(missingNumbers)} />
      <Fact name="Advised size" value={<AdvisedSize pool={pool} size={explanation.advisedSize} />} />
      <Fact name="Next free number" value={<Time value={nextFreeAt} none="none expected" />} />
      <Fact name="Next pass" value={<Time value={nextPassAt} none="none due" />} />
      <Fact name="Last pass" kind={badIf(failedPasses > 0)} value={<Time value={lastPassAt} none="none yet" />} />
    </dl>
  );
}

function AdvisedSize({ pool, size }: { readonly pool: Pool; readonly size: number | undefined }) {
  if (size === undefined) return <>no size is enough</>;
  if (size === pool.size) return <>{countText(size)}</>;
  return (
    <>
      {countText(size)}{" "}
      <a class="note" href={`${linkTo("accounts", pool.accountToken, "pools", pool.id, "resize")}?size=${size}`}>
        plan it
      </a>
    </>
  );
}
