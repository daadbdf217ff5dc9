import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { notFound } from '@invoicecontrol/errors';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';

/** A fake of billing that knows the subscriptions that a test tells it of. */
export interface FakeBilling extends GrpcServer {
  /** Whether one that is not canceled is known; an organization that was never named has none. */
  setSubscription(organizationId: string, isOpen: boolean): void;
  /** How often it was asked. */
  readonly checks: number;
}

export async function startFakeBilling(): Promise<FakeBilling> {
  const known = new Map<string, boolean>();
  let checks = 0;
  const refuse = (): Promise<never> => Promise.reject(notFound('subscription'));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      bind(SubscriptionServiceDefinition, {
        async checkDeletion({ organizationId }) {
          checks++;
          return { hasSubscription: known.get(organizationId) === true, isKnown: known.has(organizationId) };
        },
        getSubscription: refuse,
        createPortalSession: refuse,
      }),
    ],
  });
  return {
    ...server,
    setSubscription: (organizationId, isOpen) => void known.set(organizationId, isOpen),
    get checks() {
      return checks;
    },
  };
}
