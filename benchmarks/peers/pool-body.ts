import * as z from "zod";

const token = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Z}\p{C}]*$/u);

const common = {
  original_number: z.string().regex(/^\+[1-9][0-9]{6,14}$/),
  area_code: z.string().regex(/^[0-9]{1,5}$/),
  description: z.string().max(1000).optional(),
  is_dni: z.boolean(),
  is_prompted: z.boolean(),
  is_recorded: z.boolean(),
  size: z.int().min(1).max(10_000),
};

/** Zod schema of the body of a request that creates a pool. */
export const poolBody = z.discriminatedUnion("pool_type", [
  z.strictObject({
    ...common,
    pool_type: z.literal("manual"),
    property_token: token.optional(),
    utilization: z.number().optional(),
  }),
  z.strictObject({
    ...common,
    pool_type: z.enum(["automanaged", "automated"]),
    property_token: token,
    utilization: z.number().min(0).max(1),
  }),
]);

export type PoolBody = z.infer<typeof poolBody>;
