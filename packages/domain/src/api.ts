import { AccountService } from "./gen/calltracking/v1/account_pb.js";
import { ApiKeyService } from "./gen/calltracking/v1/api_key_pb.js";
import { AuditService } from "./gen/calltracking/v1/audit_pb.js";
import { CallFlowService } from "./gen/calltracking/v1/call_flow_pb.js";
import { CallService } from "./gen/calltracking/v1/call_pb.js";
import { CallTrackerService } from "./gen/calltracking/v1/call_tracker_pb.js";
import { CallerService } from "./gen/calltracking/v1/caller_pb.js";
import { ClockService } from "./gen/calltracking/v1/clock_pb.js";
import { DniService } from "./gen/calltracking/v1/dni_pb.js";
import { EventService } from "./gen/calltracking/v1/event_pb.js";
import { InventoryService } from "./gen/calltracking/v1/inventory_pb.js";
import { PhoneNumberService } from "./gen/calltracking/v1/phone_number_pb.js";
import { PhoneSystemService } from "./gen/calltracking/v1/phone_system_pb.js";
import { PoolService } from "./gen/calltracking/v1/pool_pb.js";
import { TrafficService } from "./gen/calltracking/v1/traffic_pb.js";
import { WebhookEndpointService } from "./gen/calltracking/v1/webhook_endpoint_pb.js";

/** The descriptors of all gRPC services in `proto/calltracking`. */
export const API_SERVICES = [
  AccountService,
  PhoneNumberService,
  PoolService,
  CallTrackerService,
  CallFlowService,
  InventoryService,
  TrafficService,
  DniService,
  CallService,
  ClockService,
  CallerService,
  ApiKeyService,
  PhoneSystemService,
  AuditService,
  EventService,
  WebhookEndpointService,
];

/** The method descriptors of all {@link API_SERVICES}, keyed by method name, which is unique across services. */
export type ApiMethods = Intersection<(typeof API_SERVICES)[number]["method"]>;

type Intersection<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer I) => void ? I : never;
