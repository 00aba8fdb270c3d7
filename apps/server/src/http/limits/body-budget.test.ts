import { expect, test } from "vitest";
import { BodyBudget } from "./body-budget.js";

/** A request body from a client address. It records whether the budget drops it. */
class Body {
  isDropped = false;

  constructor(
    readonly budget: BodyBudget,
    readonly address: string,
  ) {}

  receive(bytes: number): this {
    this.budget.receive(this, bytes, ({ address }) => ({
      address,
      drop: () => {
        this.isDropped = true;
      },
    }));
    return this;
  }
}

function createBudget() {
  const budget = new BodyBudget({ maxPendingBodyBytes: 1000, maxPendingBodyBytesPerAddress: 600 });
  const open = (address: string, bytes: number) => new Body(budget, address).receive(bytes);
  return { budget, open };
}

test("if an address exceeds its limit, drops a body that is much larger than its others", () => {
  const { budget, open } = createBudget();
  const [large, small] = [open("a", 500), open("a", 100)];
  const other = open("b", 300);
  expect([large, small, other].map(({ isDropped }) => isDropped)).toEqual([false, false, false]);
  small.receive(101);
  expect([large, small, other].map(({ isDropped }) => isDropped)).toEqual([true, false, false]);
  expect(budget.bytes).toBe(401);
});

test("if the total limit is exceeded, drops a body from an address with far more bytes than others", () => {
  const { budget, open } = createBudget();
  const [most, second] = [open("a", 590), open("b", 100)];
  const third = open("c", 310);
  expect(budget.bytes).toBe(1000);
  expect(most.isDropped).toBe(false);
  third.receive(311);
  expect([most, second, third].map(({ isDropped }) => isDropped)).toEqual([true, false, false]);
});

test("drops a body that alone exceeds the limit", () => {
  const { budget, open } = createBudget();
  expect(open("a", 601).isDropped).toBe(true);
  expect(budget.bytes).toBe(0);
});

test("keeps remaining bodies that reach a limit exactly", () => {
  const { open } = createBudget();
  const bodies = [open("a", 300), open("a", 300), open("a", 700)];
  expect(bodies.map(({ isDropped }) => isDropped)).toEqual([false, false, true]);
  const others = [open("b", 400), open("b", 100)];
  expect([...bodies, ...others].map(({ isDropped }) => isDropped)).toEqual([true, false, true, false, false]);
});

test("drops no more bodies than necessary", () => {
  const { open } = createBudget();
  const bodies = Array.from({ length: 6 }, () => open("a", 100));
  bodies[0]?.receive(290);
  expect(bodies.filter(({ isDropped }) => isDropped)).toEqual([bodies[0]]);
  bodies[1]?.receive(450);
  expect(bodies.filter(({ isDropped }) => isDropped)).toEqual(bodies.slice(0, 2));
});

test("does not count accepted bytes, but counts bytes that arrive later", () => {
  const { budget, open } = createBudget();
  const body = open("a", 500);
  budget.accept(body);
  expect(budget.bytes).toBe(0);
  body.receive(700);
  expect(budget.bytes).toBe(200);
  budget.accept(body, 650);
  expect(budget.bytes).toBe(50);
  expect(open("a", 550).isDropped).toBe(false);
});

test("counts a body correctly if more bytes are accepted than received", () => {
  const { budget, open } = createBudget();
  const body = open("a", 10);
  budget.accept(body, 50);
  body.receive(40);
  expect(budget.bytes).toBe(0);
  body.receive(60);
  expect(budget.bytes).toBe(10);
});

test("does not count released bodies, and ignores repeated releases", () => {
  const { budget, open } = createBudget();
  const [body, other] = [open("a", 300), open("a", 200)];
  for (let turn = 0; turn < 3; turn++) budget.release(body);
  budget.accept(body);
  expect(budget.bytes).toBe(200);
  expect(open("a", 400).isDropped).toBe(false);
  expect(other.isDropped).toBe(false);
  other.receive(201);
  expect(budget.bytes).toBeLessThanOrEqual(600);
});

test("applies the limit of an address after one of its bodies is released", () => {
  const { budget, open } = createBudget();
  const [one, two] = [open("a", 100), open("a", 300)];
  budget.release(one);
  const three = open("a", 301);
  expect([two, three].filter(({ isDropped }) => isDropped)).toHaveLength(1);
});

test("calls ownerOf once for each body", () => {
  const { budget } = createBudget();
  const body = {};
  let asked = 0;
  for (let bytes = 1; bytes < 10; bytes++) {
    budget.receive(body, bytes, () => {
      asked++;
      return { address: "a", drop: () => {} };
    });
  }
  expect(asked).toBe(1);
});

test("drops the oldest body of the largest size class, even after sizes have changed", () => {
  const { budget, open } = createBudget();
  const bodies = Array.from({ length: 5 }, () => open("a", 100));
  bodies[2]?.receive(150);
  budget.accept(bodies[2] as Body, 140);
  bodies[3]?.receive(180);
  bodies[4]?.receive(130);
  // The bodies have 100, 100, 10, 180 and 130 pending bytes. The bodies of 180 and 130 bytes are in the largest size class.
  open("a", 81);
  expect(bodies.map(({ isDropped }) => isDropped)).toEqual([false, false, false, true, false]);
  expect(budget.bytes).toBe(100 + 100 + 10 + 130 + 81);
});

test("releases a body before dropping it", () => {
  const budget = new BodyBudget({ maxPendingBodyBytes: 100, maxPendingBodyBytesPerAddress: 100 });
  let left: number | undefined;
  const drop = () => {
    left = budget.bytes;
  };
  budget.receive({}, 101, () => ({ address: "a", drop }));
  expect(left).toBe(0);
});
