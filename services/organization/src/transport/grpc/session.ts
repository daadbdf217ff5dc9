import { SessionServiceDefinition } from '@invoicecontrol/contracts/organization/v1/session_service';
import type { Session as WireSession } from '@invoicecontrol/contracts/organization/v1/session_service';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { ProofRefused } from '@invoicecontrol/runtime/grpc/proof-refused';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { createSession, describeCaller, endSession, listSessions } from '../../application/sessions.js';
import type { SessionDeps } from '../../application/sessions.js';
import { idleEndOf } from '../../domain/session.js';
import type { Session } from '../../domain/session.js';
import { requireOwnKey } from './own-key.js';
import { toWire as toWireKey } from './api-key.js';
import { toWire as toWireCompany } from './company.js';
import { toWire as toWireMember } from './member.js';
import { toWire as toWireOrganization } from './organization.js';

export function sessionService(deps: SessionDeps): Binding {
  return bind(SessionServiceDefinition, {
    async createSession(request, context) {
      requireOwnKey(context, request.apiKeyId);
      if (requirePrincipal(context).sessionId !== '') throw new ProofRefused('grant_foreign');
      const { session, token } = await createSession(deps)(request, context);
      return { session: toWire(session), token };
    },
    async listSessions(request) {
      const { items, nextPageToken } = await listSessions(deps)(request.organizationId, readPageRequest(request));
      return { sessions: items.map(toWire), nextPageToken };
    },
    async endSession(request, context) {
      await endSession(deps)(request, context);
      return {};
    },
    async describeCaller(request, context) {
      requireOwnKey(context, request.apiKeyId);
      const { organization, key, member } = await describeCaller(deps)(request);
      return {
        organization: toWireOrganization(organization),
        apiKey: toWireKey(key),
        user: member === undefined ? undefined : toWireMember(member),
        companies: organization.companies.map(({ id }) => toWireCompany(organization, id)),
      };
    },
  });
}

function toWire(session: Session): WireSession {
  return {
    sessionId: session.id,
    apiKeyId: session.apiKeyId,
    userId: session.userId,
    createdTime: session.createdAt,
    lastSeenTime: session.lastSeenAt,
    expiresTime: session.expiresAt,
    idleExpiresTime: idleEndOf(session),
  };
}
