import { expect, test } from "vitest";
import { coalesce } from "./coalesce.js";

test("shares the next result between callers during a run, and never returns an older one", async () => {
  const questions: PromiseWithResolvers<number>[] = [];
  const ask = coalesce(() => {
    const question = Promise.withResolvers<number>();
    questions.push(question);
    return question.promise;
  });
  const first = ask();
  const meanwhile = [ask(), ask()];
  expect(questions).toHaveLength(1);
  questions[0]?.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => questions.length).toBe(2);
  const later = ask();
  questions[1]?.resolve(2);
  expect(await Promise.all(meanwhile)).toEqual([2, 2]);
  await expect.poll(() => questions.length).toBe(3);
  questions[2]?.resolve(3);
  expect(await later).toBe(3);
});

test("rejects only the callers that share a failed run", async () => {
  let asked = 0;
  const ask = coalesce(async () => {
    if (++asked === 1) throw new Error("down");
    return asked;
  });
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  expect(first).toMatchObject({ status: "rejected" });
  expect(second).toEqual({ status: "fulfilled", value: 2 });
});
