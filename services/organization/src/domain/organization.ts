import { DomainError, invalidField } from '@invoicecontrol/errors';
import { isBaseCurrency } from '@invoicecontrol/values/currency';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import { combineContracts, entitlements, isUnderSubscription, lowerContract } from './plans.js';
import type { Contract, SubscriptionStatus } from './plans.js';

export const referenceValidationModes = ['OFF', 'DECLARED_PROFILES', 'ALL'] as const;
export type ReferenceValidationMode = (typeof referenceValidationModes)[number];

/**
 * Organization with its companies. They are stored together, because the rules about companies concern all companies of
 * an organization.
 */
export interface Organization extends Contract {
  readonly id: string;
  /**
   * Version of the organization, which increases with every change. Other services cache facts about the organization
   * under this version.
   */
  readonly version: number;
  readonly name: string;
  readonly billingEmail: string | undefined;
  readonly baseCurrency: string;
  readonly referenceValidationMode: ReferenceValidationMode;
  /** True if the organization requires that a second person confirms the payment that one person releases. */
  readonly fourEyes: boolean;
  /** Request to switch the four-eyes rule for payment releases off that no other OWNER has confirmed yet. */
  readonly fourEyesRequest?: FourEyesRequest | undefined;
  readonly companies: readonly Company[];
  /** Id of the default company of the organization. One of `companies` always has this id. */
  readonly defaultCompanyId: string;
  /**
   * Id of the valid series of API keys. Keys of another series are invalid. Restoring an organization starts a new
   * series, so that keys from before the deletion stay revoked.
   */
  readonly keySeriesId: string;
  readonly createdAt: Date;
  /** Id of the organization whose test organization this is. Undefined for every other organization. */
  readonly testOf?: string | undefined;
  readonly deletion: Deletion | undefined;
  /**
   * The last state of the organization's subscription that billing reported. Undefined until billing has a
   * subscription.
   */
  readonly subscriptionSource?: SubscriptionSource | undefined;
  /**
   * The contract that the operator stated while there was no subscription. A subscription never lowers this contract.
   * Undefined if the operator has stated no plan, or if an earlier release stored the organization and no subscription
   * has been reported.
   */
  readonly granted?: Contract | undefined;
}

export interface FourEyesRequest {
  /** Person who requested to switch the four-eyes rule off, as `personOf` returns it. */
  readonly by: string;
  readonly at: Date;
}

/** Position of an event in the sequence of billing events, which may arrive late and repeatedly. */
export interface SubscriptionSource {
  readonly version: number;
  readonly at: Date;
  /**
   * Subscription status that the billing service reported, even if another status is in effect. Absent if an earlier
   * release stored the report.
   */
  readonly status?: SubscriptionStatus | undefined;
}

/** Legal entity that belongs to an organization. */
export interface Company {
  readonly id: string;
  readonly name: string;
  /** Tax id of a company of the organization as the caller sent it. It is compared with `sameTaxId`. */
  readonly taxId: string | undefined;
  /** Country of a company of the organization as ISO 3166 alpha-2 code. */
  readonly country: string | undefined;
  readonly createdAt: Date;
}

export interface Deletion {
  readonly at: Date;
  /**
   * Actor who deleted the organization and received the recovery token, in the form of the audit trail. Absent if an
   * earlier release deleted the organization.
   */
  readonly by?: DeletedBy | undefined;
  /** Hash of the recovery token that restores the organization. */
  readonly recoveryTokenHash: string;
  /** Time until which the deleted organization can be restored. */
  readonly recoveryExpiresAt: Date;
}

export interface DeletedBy {
  readonly type: 'API_KEY' | 'USER' | 'OPERATOR' | 'SYSTEM';
  readonly id: string;
}

/**
 * Reads the base currency of an organization from a request.
 * @throws DomainError invalid unless amounts can be converted into the currency (specification, endpoint 19)
 */
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
 * Sets the validation mode of an organization for reference documents.
 * @throws DomainError invalid for an unknown mode, subscription_required for ALL without an active subscription
 * (specification section 4, rule 10)
 */
export function changeReferenceValidation(organization: Organization, mode: string): Organization {
  const known = referenceValidationModes.find((candidate) => candidate === mode);
  if (known === undefined) throw invalidField('mode', `must be one of ${referenceValidationModes.join(', ')}.`);
  if (known === 'ALL' && organization.testOf !== undefined) {
    throw new DomainError(
      'subscription_required',
      'A test organization has no subscription, so the reference validation mode ALL is not available. Choose another mode.',
    );
  }
  if (known === 'ALL' && !entitlements(organization).hasActiveSubscription) {
    throw new DomainError(
      'subscription_required',
      'The reference validation mode ALL requires an active subscription. Choose another mode, or start a subscription with POST /v1/billing/checkout.',
    );
  }
  return { ...organization, referenceValidationMode: known };
}

/**
 * Returns the effective validation mode of an organization for reference documents. Without an active subscription, ALL
 * behaves like DECLARED_PROFILES (specification section 4, rule 10).
 */
export function referenceValidationInForce(organization: Organization): ReferenceValidationMode {
  const { referenceValidationMode: mode } = organization;
  return mode === 'ALL' && !entitlements(organization).hasActiveSubscription ? 'DECLARED_PROFILES' : mode;
}

/** Days after which a request to switch the four-eyes rule off can no longer be confirmed. */
const FOUR_EYES_REQUEST_DAYS = 7;

/**
 * Switches the four-eyes rule on or off. If the organization has a second OWNER, the first call only requests to
 * switch the rule off, and the call of another OWNER confirms the request. Switching the rule on withdraws a request.
 * @param person person behind the call
 * @param ownerUserIds ids of the active members with the role OWNER
 * @throws DomainError wrong_state if a person who is not a member with the role OWNER confirms a request
 */
export function changeFourEyes(
  organization: Organization,
  isOn: boolean,
  { person, ownerUserIds, now }: { person: string; ownerUserIds: readonly string[]; now: Date },
): Organization {
  if (isOn || !organization.fourEyes) return { ...organization, fourEyes: isOn, fourEyesRequest: undefined };
  const switchedOff = { ...organization, fourEyes: false, fourEyesRequest: undefined };
  if (ownerUserIds.length < 2) return switchedOff;
  const request = organization.fourEyesRequest;
  const isCurrent = request !== undefined && now.getTime() < request.at.getTime() + FOUR_EYES_REQUEST_DAYS * DAY_MS;
  if (!isCurrent) return { ...organization, fourEyesRequest: { by: person, at: now } };
  if (request.by === person) return organization;
  if (ownerUserIds.some((userId) => person === `USER:${userId}`)) return switchedOff;
  throw new DomainError(
    'wrong_state',
    'Another member with the role OWNER has to confirm this request. Use an API key of that member, which was created with their `user_id`.',
  );
}

const DAY_MS = 24 * 3_600_000;

/** Subscription of an organization as billing reported it. */
export interface ToldSubscription extends Required<Contract> {
  readonly source: SubscriptionSource;
}

/**
 * If an event of the billing service has a lower version than the last known event, it is accepted only if it is later
 * than that event by this time. After a backup of the billing service was restored, its versions begin again at lower
 * numbers. This time is larger than any difference between clocks.
 */
const RESTORED_AFTER_MS = 60_000;

/**
 * Returns the organization with a subscription that billing reported. The contract that the operator granted before is
 * not lowered. Returns the same object if the report is known or older.
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

/** Parts of an organization's contract that the operator states. Parts that are absent are not changed. */
export type StatedContract = Partial<Omit<Contract, 'isSubscriptionActive'>>;

/**
 * Returns the organization with the contract terms that the operator states, such as the plan. Without a subscription,
 * or with a canceled one, a stated plan is granted, and no later subscription lowers it. With any other subscription,
 * the stated terms apply only until the billing service reports the subscription again. They can then lower a contract
 * that the operator granted before, but not raise it.
 */
export function setContract(organization: Organization, stated: StatedContract): Organization {
  if (organization.testOf !== undefined) {
    throw new DomainError(
      'wrong_state',
      'The limits of a test organization are fixed. Change the plan of the organization to which the test organization belongs.',
    );
  }
  const { granted, subscriptionSource: source } = organization;
  // If the operator has changed the subscription status after the last report of the billing service, only `source` has
  // the reported status.
  const told = source === undefined ? undefined : (source.status ?? organization.subscriptionStatus);
  // Until the billing service reports a subscription again, only the subscription status decides whether the
  // subscription is active.
  const counting = { ...organization, ...stated, isSubscriptionActive: undefined };
  if (told !== undefined && isUnderSubscription(told)) {
    return { ...counting, granted: granted === undefined ? undefined : lowerContract(granted, stated) };
  }
  if (granted === undefined && stated.plan === undefined) return counting;
  const isAsTold = told !== undefined && organization.subscriptionStatus === told;
  // After a subscription has ended, neither the end of the subscription nor its number of companies limits a plan that
  // the operator grants later.
  const before = isAsTold ? { ...contractOf(organization), ...NO_SUBSCRIPTION } : contractOf(organization);
  const grant = { ...(granted ?? before), ...stated };
  return { ...counting, ...grant, granted: grant };
}

const NO_SUBSCRIPTION = { subscriptionStatus: 'none', additionalLegalEntities: 0 } as const;

function contractOf({ plan, subscriptionStatus, additionalLegalEntities }: Organization): Contract {
  return { plan, subscriptionStatus, additionalLegalEntities };
}

/**
 * Checks that the caller confirmed the name of the organization.
 * @throws DomainError invalid
 */
export function requireConfirmedName({ name }: Organization, confirmName: string): void {
  // The stored name of an organization may be older than the rule against invisible characters. The caller then
  // confirms the name in its visible form.
  if (confirmName !== cleanLine(name, Infinity))
    throw invalidField('confirm_name', 'must be exactly the name of the organization.');
}

/**
 * Deletes an organization (specification section 3; endpoint 18).
 * @param hasSubscription true if the billing service has a subscription that is not canceled; undefined if the billing
 *   service has no subscription at all, so that the organization's own status decides
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
  if (organization.testOf !== undefined) {
    throw new DomainError(
      'wrong_state',
      'A test organization is deleted together with its organization. Delete the organization with a key that begins with `ick_live_`.',
    );
  }
  if (hasSubscription ?? isUnderSubscription(organization.subscriptionStatus)) {
    throw new DomainError(
      'wrong_state',
      'The organization has a subscription. Cancel the subscription before you delete the organization.',
    );
  }
  const recoveryExpiresAt = new Date(now.getTime() + retentionMs);
  return { ...organization, deletion: { at: now, by, recoveryTokenHash, recoveryExpiresAt } };
}

/**
 * Checks whether the organization can still be restored. After its retention period, the organization can only be
 * purged.
 */
export function isRecoverable(deletion: Deletion, now: Date): boolean {
  return now < deletion.recoveryExpiresAt;
}

/** Restores an organization with a new key series, so that the old keys stay revoked. */
export function restoreOrganization(organization: Organization, keySeriesId: string): Organization {
  return { ...organization, deletion: undefined, keySeriesId };
}
