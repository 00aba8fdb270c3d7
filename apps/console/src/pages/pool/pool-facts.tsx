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

/** The key figures of a pool. */
export function PoolFacts({ pool, explanation }: PoolFactsProps) {
  const { unservedSources, missingNumbers, lastPassAt, nextPassAt, nextFreeAt, failedPasses } = explanation;
  return (
    <dl class="facts">
      <Fact name="Call trackers" kind="wide">
        <CapacityBar {...explanation} size={pool.size} inWords />
      </Fact>
      <Fact name="Utilization">
        {pool.utilization === undefined ? enumText(PoolTypeSchema, pool.poolType) : percentText(pool.utilization)}
      </Fact>
      <Fact name="Sources without a number" kind={unservedSources > 0 ? "bad" : undefined}>
        {countText(unservedSources)}
      </Fact>
      <Fact name="Numbers missing" kind={missingNumbers > 0 ? "bad" : undefined}>
        {countText(missingNumbers)}
      </Fact>
      <Fact name="Advised size">
        <AdvisedSize pool={pool} size={explanation.advisedSize} />
      </Fact>
      <Fact name="Next free number">
        <Time value={nextFreeAt} none="none" />
      </Fact>
      <Fact name="Next pass">
        <Time value={nextPassAt} none="none is due" />
      </Fact>
      <Fact name="Last pass" kind={failedPasses > 0 ? "bad" : undefined}>
        <Time value={lastPassAt} none="none yet" />
      </Fact>
    </dl>
  );
}

function AdvisedSize({ pool, size }: { readonly pool: Pool; readonly size: number | undefined }) {
  if (size === undefined) return <>none is enough</>;
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
