import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

/** Fake of the billing service, with the subscriptions that a test sets. */
export interface FakeBilling extends GrpcServer {
  /**
   * Sets whether the organization has a subscription that is not canceled. All other organizations have no such
   * subscription.
   */
  setSubscription(organizationId: string, isOpen: boolean): void;
  /** Ids of the organizations that were registered in the fake billing service, in the order of the calls. */
  readonly registered: string[];
  /** Starts or ends an outage of the fake billing service, during which registrations are refused. */
  setOutage(isOut: boolean): void;
  /** Number of subscription checks of the fake billing service so far. */
  readonly checks: number;
}

export async function startFakeBilling(): Promise<FakeBilling> {
  const known = new Map<string, boolean>();
  const registered: string[] = [];
  let isOut = false;
  let checks = 0;
  const refuse = (): Promise<never> => Promise.reject(notFound('subscription'));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('billing'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      bind(SubscriptionServiceDefinition, {
        async checkDeletion({ organizationId }) {
          checks++;
          return { hasSubscription: known.get(organizationId) === true, isKnown: known.has(organizationId) };
        },
        async registerOrganization({ organizationId }) {
          if (isOut) throw new DomainError('unavailable', 'Not now.');
          registered.push(organizationId);
          return {};
        },
        getSubscription: refuse,
        createPortalSession: refuse,
      }),
    ],
  });
  return {
    ...server,
    registered,
    setOutage: (next) => {
      isOut = next;
    },
    setSubscription: (organizationId, isOpen) => void known.set(organizationId, isOpen),
    get checks() {
      return checks;
    },
  };
}
