import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "../../gen/health/v1/health_pb.js";

/** The services for health checks and reflection, which gRPC clients and tools expect from every server. */
export const INFRASTRUCTURE_SERVICES = [Health, ServerReflection, ServerReflectionAlpha];
