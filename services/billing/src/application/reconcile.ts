import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { correctSubscription, shownOf } from '../domain/account.js';
import type { Account, GraceRule } from '../domain/account.js';
import { normaliseInstant } from '../domain/instant.js';
import type { Snapshot } from '../domain/subscription.js';
import type { Prices } from '../domain/prices.js';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { subscriptionsReconciled } from '../telemetry.js';
import { subscriptionChanged } from './change-account.js';
import type { ChangeAccount } from './change-account.js';
import { linkSubscription } from './link-subscription.js';
import type { LinkingDeps } from './link-subscription.js';
import { ProviderUnavailable } from './provider-api.js';
import type { ProviderApi } from './provider-api.js';
import { readSnapshot } from './read-snapshot.js';
import type { Accounts, Notifications } from './stores.js';

export interface ReconcilingDeps extends LinkingDeps {
  readonly api: ProviderApi;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly changeAccount: ChangeAccount;
  readonly notifications: Pick<Notifications, 'reopenUnlinked'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
  /** Prices of the plans at the payment provider. Undefined where no plan is sold. */
  readonly prices: Prices | undefined;
  readonly rule: GraceRule;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Reconciliation {
  readonly checked: number;
  readonly corrected: number;
  readonly unknown: number;
}

/**
 * Compares every subscription with the payment provider and corrects differences, because payment notifications may be
 * lost. A subscription that differs in the list is read again individually, because the list may be older than the last
 * notification.
 * @throws ProviderUnavailable
 */
export const reconcileSubscriptions =
  (deps: ReconcilingDeps) =>
  async (signal: AbortSignal): Promise<Reconciliation> => {
    let [checked, corrected, unknown] = [0, 0, 0];
    for await (const listed of deps.api.subscriptions(signal)) {
      checked++;
      const result = await reconcileOne(deps, listed);
      if (result === 'CORRECTED') corrected++;
      if (result === 'UNKNOWN') unknown++;
    }
    const reconciliation = { checked, corrected, unknown };
    subscriptionsReconciled(reconciliation);
    deps.logger.info(reconciliation, 'subscriptions reconciled');
    return reconciliation;
  };

/** Links a subscription if it can prove its organization, and corrects its stored state. */
export async function reconcileOne(deps: ReconcilingDeps, listed: unknown): Promise<'SAME' | 'CORRECTED' | 'UNKNOWN'> {
  const { api, prices, logger } = deps;
  const snapshot = readSnapshot(listed, prices);
  const listedAt = updatedAtOf(listed);
  if (snapshot === undefined || listedAt === undefined) {
    logger.error({}, 'the payment provider listed a subscription that cannot be read');
    return 'UNKNOWN';
  }
  const { claimedOrganizationId: claimed } = snapshot;
  const isPurged = claimed !== undefined && (await deps.wasPurged(claimed));
  // The record of a subscription that names a purged organization is not stored again. The checkouts of the
  // organization no longer exist.
  const linked = await linkSubscription(
    deps,
    isPurged ? { ...snapshot, claimedOrganizationId: undefined } : snapshot,
    listedAt,
  );
  if ('refusal' in linked) {
    // The operator need not link a subscription that is already canceled.
    if (snapshot.status === 'canceled') return 'SAME';
    logger.error({ subscriptionId: snapshot.id, reason: linked.refusal }, 'a subscription grants nothing');
    return 'UNKNOWN';
  }
  const { organizationId, isNew } = linked;
  if (isNew) await deps.notifications.reopenUnlinked(snapshot.id);
  const known = await deps.accounts.find(organizationId);
  if (known !== undefined && showsSame(known, snapshot)) return snapshot.purchase === undefined ? 'UNKNOWN' : 'SAME';
  const result = await deps.changeAccount(organizationId, async (account) => {
    if (account === undefined) return undefined;
    // The subscription at the provider is read after the billing account. If a payment notification is applied in
    // between, both are read again.
    const entity = await api.subscription(snapshot.id);
    const fresh = readSnapshot(entity, prices);
    const updatedAt = updatedAtOf(entity);
    if (fresh === undefined || fresh.id !== snapshot.id || updatedAt === undefined) {
      throw new ProviderUnavailable('the response is not a subscription');
    }
    if (showsSame(account, fresh)) return { account, events: [], result: 'SAME' as const };
    const corrected = correctSubscription(account, fresh, updatedAt);
    return { account: corrected, events: subscriptionChanged(corrected, deps), result: 'CORRECTED' as const };
  });
  if (result === 'CORRECTED') {
    logger.warn(
      { organizationId, subscriptionId: snapshot.id },
      'a stored subscription differed from that of the payment provider',
    );
  }
  return result ?? 'UNKNOWN';
}

function showsSame({ subscriptions }: Account, snapshot: Snapshot): boolean {
  const tracked = subscriptions.find(({ id }) => id === snapshot.id);
  if (tracked === undefined) return false;
  const { lastOccurredAt: _last, firstOccurredAt: _first, canceledAt: _canceled, ...stored } = tracked;
  return isDeepStrictEqual(stored, shownOf(snapshot, snapshot.purchase ?? tracked));
}

function updatedAtOf(entity: unknown): string | undefined {
  const text = (entity as { updated_at?: unknown } | undefined)?.updated_at;
  return typeof text === 'string' ? normaliseInstant(text) : undefined;
}
