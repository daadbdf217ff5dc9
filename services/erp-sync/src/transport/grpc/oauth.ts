import { OAuthServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { decideConfirmation, receiveCallback } from '../../application/receive-callback.js';
import type { CallbackDeps } from '../../application/receive-callback.js';
import { startOAuth } from '../../application/start-oauth.js';
import type { StartDeps } from '../../application/start-oauth.js';

/** Implements the gRPC service invoicecontrol.erp_sync.v1.OAuthService. */
export function oauthService(starting: StartDeps, callbacks: CallbackDeps): Binding {
  return bind(OAuthServiceDefinition, {
    async startOAuth({ organizationId, provider, companyId }, context) {
      const limit = limitOf(context, 'erpConnections');
      return startOAuth(starting)({ organizationId, provider, companyId, limit }, context);
    },
    async receiveCallback({ provider, query }, context) {
      const answer = await receiveCallback(callbacks)({ provider, query }, context);
      return {
        outcome:
          'page' in answer
            ? { $case: 'confirmation', value: answer.page }
            : { $case: 'redirect', value: { url: answer.redirectUrl } },
      };
    },
    async decideConfirmation({ provider, confirmation, decision }, context) {
      const { redirectUrl } = await decideConfirmation(callbacks)({ provider, confirmation, decision }, context);
      return { redirect: { url: redirectUrl } };
    },
  });
}
