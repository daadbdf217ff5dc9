/** A call that was refused to the service that made it, and that named an organization. */
export interface RefusedCall {
  readonly organizationId: string;
  /** Name of the service that called. */
  readonly caller: string;
  /** Refused rpc, such as `invoicecontrol.scan.v1.ScanService/CreateScan`. */
  readonly rpc: string;
  /** Reason of the refusal, as the metric `rpc.refused` has it. */
  readonly reason: string;
  readonly requestId: string;
}

const ORGANIZATION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the organization that a request names, or undefined. */
export function organizationIn(request: unknown): string | undefined {
  const { organizationId } = (request ?? {}) as { organizationId?: unknown };
  return typeof organizationId === 'string' && ORGANIZATION_ID.test(organizationId) ? organizationId : undefined;
}
