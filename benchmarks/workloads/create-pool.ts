import type { Workload } from "./workload.ts";

/** Creates an automanaged pool with every field, on another account each time. */
export const createPool: Workload = {
  title: "create a pool",
  status: 201,
  isWriting: true,
  requests: ({ writtenAccounts }) =>
    writtenAccounts.map(({ accountToken, phoneNumber }) => ({
      method: "POST",
      path: `/dni_manager/accounts/${accountToken}/pools`,
      body: JSON.stringify({
        original_number: phoneNumber,
        area_code: "030",
        description: "Numbers for the spring campaign",
        is_dni: true,
        is_prompted: false,
        is_recorded: true,
        pool_type: "automated",
        property_token: "prop_1f0e3dad",
        size: 10,
        utilization: 0.5,
      }),
    })),
};
