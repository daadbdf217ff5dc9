import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, UpdateFilter } from 'mongodb';
import type { OAuthFlows } from '../application/consent-stores.js';
import type { FlowOutcome, FlowStatus, GrantedFlow, OAuthFlow } from '../domain/oauth-flow.js';

/** A stored OAuth consent flow. Every query checks `expiresAt`, because the TTL index uses another field. */
export interface OAuthFlowDocument extends Omit<OAuthFlow, 'id'> {
  /** Id of an OAuth consent flow with 128 random bits, which is part of the state parameter. */
  readonly _id: string;
  readonly status: FlowStatus;
  readonly outcome?: FlowOutcome;
  /**
   * OAuth tokens of a consent flow, stored from the exchange of the authorization code until the flow is closed. If no
   * ERP connection was made, the tokens are revoked.
   */
  readonly tokens?: GrantedFlow['tokens'];
  readonly tenant?: GrantedFlow['tenant'];
  /** SHA-256 hash of the confirmation value in the form of an OAuth consent. */
  readonly confirmationHash?: string;
  /** Time when the OAuth tokens are revoked, with a sparse index. */
  readonly revokeAt?: Date;
  readonly revokeTries?: number;
  /** Expiry time for the TTL index, long after the OAuth tokens were revoked or abandoned. */
  readonly removeAt: Date;
}

const KEPT_MS = 7 * 24 * 3_600_000;

export async function createOAuthFlowIndexes(collection: Collection<OAuthFlowDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'of_organization' },
    { key: { revokeAt: 1 }, sparse: true, name: 'revocation' },
    { key: { removeAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
  ]);
}

export function oauthFlowStore(collection: Collection<OAuthFlowDocument>, clock: Clock): OAuthFlows {
  /** If the stored OAuth consent flow no longer allows the next step, the consent has ended for the user. */
  const step = async (
    { id, organizationId }: Pick<OAuthFlow, 'id' | 'organizationId'>,
    status: FlowStatus,
    update: UpdateFilter<OAuthFlowDocument>,
  ): Promise<void> => {
    const { matchedCount } = await collection.updateOne({ _id: id, organizationId, status }, update);
    if (matchedCount > 0) return;
    throw new DomainError(
      'wrong_state',
      'The consent to connect the ERP was not given in time. Connect the ERP again from the beginning.',
    );
  };
  return {
    async insert({ id, ...flow }) {
      const removeAt = new Date(flow.createdAt.getTime() + KEPT_MS);
      await collection.insertOne({ _id: id, ...flow, status: 'PENDING', removeAt });
    },
    async consume(organizationId, flowId) {
      const document = await collection.findOneAndUpdate(
        { _id: flowId, organizationId, status: 'PENDING', expiresAt: { $gt: clock.now() } },
        { $set: { status: 'EXCHANGING' } },
        { returnDocument: 'after' },
      );
      return document === null ? undefined : toFlow(document);
    },
    keepTokens: (flow, tokens, revokeAt) => step(flow, 'EXCHANGING', { $set: { tokens, revokeAt } }),
    awaitConfirmation: (flow, { tenant, confirmationHash, expiresAt }) =>
      step(flow, 'EXCHANGING', {
        $set: { status: 'CONFIRMING', tenant, confirmationHash, expiresAt, revokeAt: expiresAt },
      }),
    async findConfirming(flowId, confirmationHash) {
      const document = await collection.findOne({
        _id: flowId,
        confirmationHash,
        status: 'CONFIRMING',
        expiresAt: { $gt: clock.now() },
      });
      return document === null ? undefined : toFlow(document);
    },
    async decide({ id, organizationId }, confirmationHash, revokeAt) {
      const document = await collection.findOneAndUpdate(
        { _id: id, organizationId, confirmationHash, status: 'CONFIRMING', expiresAt: { $gt: clock.now() } },
        { $set: { status: 'EXCHANGING', revokeAt }, $unset: { confirmationHash: '' } },
        { returnDocument: 'after' },
      );
      if (document?.tokens === undefined || document.tenant === undefined) return undefined;
      return { ...toFlow(document), tokens: document.tokens, tenant: document.tenant };
    },
    async close({ id, organizationId }, outcome, revokeAt) {
      await collection.updateOne(
        { _id: id, organizationId },
        revokeAt === undefined
          ? { $set: { status: 'CLOSED', outcome }, $unset: { tokens: '', revokeAt: '', confirmationHash: '' } }
          : { $set: { status: 'CLOSED', outcome, revokeAt }, $unset: { confirmationHash: '' } },
      );
    },
    async claimRevocation(now, until) {
      const document = await collection.findOneAndUpdate(
        { revokeAt: { $lte: now } },
        // Once the OAuth tokens are claimed for revocation, the user can no longer confirm the OAuth consent.
        { $set: { status: 'CLOSED', revokeAt: until }, $inc: { revokeTries: 1 } },
        { returnDocument: 'after', sort: { revokeAt: 1 } },
      );
      if (document === null) return undefined;
      const { tokens, tenant, revokeTries = 1 } = document;
      return { flow: toFlow(document), tokens, tenant, tries: revokeTries - 1 };
    },
    async retryRevocation({ id, organizationId }, at) {
      await collection.updateOne({ _id: id, organizationId, revokeAt: { $exists: true } }, { $set: { revokeAt: at } });
    },
    async wipe({ id, organizationId }) {
      await collection.updateOne(
        { _id: id, organizationId },
        { $set: { status: 'CLOSED' }, $unset: { tokens: '', revokeAt: '', confirmationHash: '' } },
      );
    },
  };
}

function toFlow(document: OAuthFlowDocument): OAuthFlow {
  const { _id: id, organizationId, provider, companyId, actor, redirectUri, codeVerifier } = document;
  const { expiresAt, createdAt } = document;
  return {
    id,
    organizationId,
    provider,
    companyId,
    actor,
    redirectUri,
    codeVerifier,
    expiresAt,
    createdAt,
  };
}
