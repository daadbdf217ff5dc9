import { DomainError, invalidField } from '@invoicecontrol/errors';
import { isBaseCurrency } from '@invoicecontrol/values/currency';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import { combineContracts, entitlements, isUnderSubscription, lowerContract } from './plans.js';
import type { Contract, SubscriptionStatus } from './plans.js';

export const referenceValidationModes = ['OFF', 'DECLARED_PROFILES', 'ALL'] as const;
export type ReferenceValidationMode = (typeof referenceValidationModes)[number];

/** A tenant with its companies: one aggregate, because the rules about the companies concern all of them at once. */
export interface Organization extends Contract {
  readonly id: string;
  /** Grows with every change; also the version of the tenant's facts. */
  readonly version: number;
  readonly name: string;
  readonly billingEmail: string | undefined;
  readonly baseCurrency: string;
  readonly referenceValidationMode: ReferenceValidationMode;
  readonly companies: readonly Company[];
  /** Always the id of one of the companies. */
  readonly defaultCompanyId: string;
  /** Keys of another series are invalid. Restoring starts a new series, so that keys from before a deletion stay revoked. */
  readonly keySeriesId: string;
  readonly createdAt: Date;
  readonly deletion: Deletion | undefined;
  /** The last state that billing reported; undefined until it knows of a subscription. */
  readonly subscriptionSource?: SubscriptionSource | undefined;
  /**
   * The contract that the operator stated while there was no subscription: no subscription lowers it. Undefined while the operator has
   * stated no plan, and when an earlier release stored the organization and has heard of no subscription.
   */
  readonly granted?: Contract | undefined;
}

/** Orders the events of billing: they may arrive late and more than once. */
export interface SubscriptionSource {
  readonly version: number;
  readonly at: Date;
  /** The status that was told, whatever counts now; absent where an earlier release stored it. */
  readonly status?: SubscriptionStatus | undefined;
}

/** A legal entity of an organization. */
export interface Company {
  readonly id: string;
  readonly name: string;
  /** Tax id as given by the caller; compared with `sameTaxId`. */
  readonly taxId: string | undefined;
  /** ISO 3166 alpha-2. */
  readonly country: string | undefined;
  readonly createdAt: Date;
}

export interface Deletion {
  readonly at: Date;
  /** The actor who deleted it and got the recovery token, as the audit trail names actors; absent when an earlier release deleted it. */
  readonly by?: DeletedBy | undefined;
  /** Hash of the token that restores the organization. */
  readonly recoveryTokenHash: string;
  /** The end of the retention. */
  readonly recoveryExpiresAt: Date;
}

export interface DeletedBy {
  readonly type: 'API_KEY' | 'USER' | 'OPERATOR' | 'SYSTEM';
  readonly id: string;
}

/** @throws DomainError invalid unless the currency is one that amounts can be converted into (specification, endpoint 19) */
export function readBaseCurrency(value: string): string {
  const code = value.toUpperCase();
  if (!isBaseCurrency(code)) {
    throw invalidField(
      'base_currency',
      'must be EUR, a currency with a European Central Bank reference rate, or one with a fixed parity.',
    );
  }
  return code;
}

/**
 * @throws DomainError invalid for an unknown mode, subscription_required for ALL without an active subscription
 *   (specification section 4, rule 10)
 */
export function changeReferenceValidation(organization: Organization, mode: string): Organization {
  const known = referenceValidationModes.find((candidate) => candidate === mode);
  if (known === undefined) throw invalidField('mode', `must be one of ${referenceValidationModes.join(', ')}.`);
  if (known === 'ALL' && !entitlements(organization).hasActiveSubscription) {
    throw new DomainError(
      'subscription_required',
      'The mode ALL requires an active subscription. Choose another mode, or start a subscription with POST /v1/billing/checkout.',
    );
  }
  return { ...organization, referenceValidationMode: known };
}

/** The mode that validation follows: ALL without an active subscription behaves as DECLARED_PROFILES (specification section 4, rule 10). */
export function referenceValidationInForce(organization: Organization): ReferenceValidationMode {
  const { referenceValidationMode: mode } = organization;
  return mode === 'ALL' && !entitlements(organization).hasActiveSubscription ? 'DECLARED_PROFILES' : mode;
}

/** A subscription as billing tells it. */
export interface ToldSubscription extends Required<Contract> {
  readonly source: SubscriptionSource;
}

/** A restored backup of billing starts again with lower versions, and its events are later by more than clocks differ. */
const RESTORED_AFTER_MS = 60_000;

/**
 * The organization with the subscription that billing tells, but for what the operator granted before; the same object when
 * it tells what is known or older.
 */
export function changeSubscription(
  organization: Organization,
  { source, ...contract }: ToldSubscription,
): Organization {
  const known = organization.subscriptionSource;
  const isNewer =
    known === undefined ||
    source.version > known.version ||
    source.at.getTime() > known.at.getTime() + RESTORED_AFTER_MS;
  if (!isNewer) return organization;
  const { granted } = organization;
  const counting = granted === undefined ? contract : combineContracts(granted, contract);
  return { ...organization, ...counting, subscriptionSource: { ...source, status: contract.subscriptionStatus } };
}

/** The parts of a contract that the operator states; other parts are absent. */
export type StatedContract = Partial<Omit<Contract, 'isSubscriptionActive'>>;

/**
 * Returns the organization with the stated parts of the contract; the rest is unchanged. During a subscription that is not canceled they
 * count until billing reports it again, and can only lower what was granted before. Otherwise a stated plan is granted: no later
 * subscription lowers it.
 */
export function setContract(organization: Organization, stated: StatedContract): Organization {
  const { granted, subscriptionSource: source } = organization;
  // If the operator changed the status since, only the source still has the state that billing reported.
  const told = source === undefined ? undefined : (source.status ?? organization.subscriptionStatus);
  // The status that counts decides until billing tells of a subscription again.
  const counting = { ...organization, ...stated, isSubscriptionActive: undefined };
  if (told !== undefined && isUnderSubscription(told)) {
    return { ...counting, granted: granted === undefined ? undefined : lowerContract(granted, stated) };
  }
  if (granted === undefined && stated.plan === undefined) return counting;
  const isAsTold = told !== undefined && organization.subscriptionStatus === told;
  // A subscription that has ended leaves neither its end nor its companies to what the operator grants after it.
  const before = isAsTold ? { ...contractOf(organization), ...NO_SUBSCRIPTION } : contractOf(organization);
  const grant = { ...(granted ?? before), ...stated };
  return { ...counting, ...grant, granted: grant };
}

const NO_SUBSCRIPTION = { subscriptionStatus: 'none', additionalLegalEntities: 0 } as const;

function contractOf({ plan, subscriptionStatus, additionalLegalEntities }: Organization): Contract {
  return { plan, subscriptionStatus, additionalLegalEntities };
}

/** @throws DomainError invalid */
export function requireConfirmedName({ name }: Organization, confirmName: string): void {
  // A name from before names had to be readable is confirmed as people see it.
  if (confirmName !== cleanLine(name, Infinity))
    throw invalidField('confirm_name', 'must be exactly the name of the organization.');
}

/**
 * The deleted organization (specification section 3; endpoint 18).
 * @param hasSubscription whether billing knows one that is not canceled; where it knows none at all, undefined: then the
 *   organization's own status decides
 * @throws DomainError wrong_state while a subscription is not canceled
 */
export function deleteOrganization(
  organization: Organization,
  hasSubscription: boolean | undefined,
  {
    recoveryTokenHash,
    by,
    now,
    retentionMs,
  }: { recoveryTokenHash: string; by: DeletedBy; now: Date; retentionMs: number },
): Organization & { deletion: Deletion } {
  if (hasSubscription ?? isUnderSubscription(organization.subscriptionStatus)) {
    throw new DomainError(
      'wrong_state',
      'The organization has a subscription. Cancel it before you delete the organization.',
    );
  }
  const recoveryExpiresAt = new Date(now.getTime() + retentionMs);
  return { ...organization, deletion: { at: now, by, recoveryTokenHash, recoveryExpiresAt } };
}

/** Tells whether the retention still runs: until its end the organization can be restored, from then on only purged. */
export function isRecoverable(deletion: Deletion, now: Date): boolean {
  return now < deletion.recoveryExpiresAt;
}

/** The restored organization with a new key series, so that the old keys stay revoked. */
export function restoreOrganization(organization: Organization, keySeriesId: string): Organization {
  return { ...organization, deletion: undefined, keySeriesId };
}
