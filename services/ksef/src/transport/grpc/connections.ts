import { enumName, optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import {
  Authentication,
  ConnectionServiceDefinition,
  ConnectionStatus,
  Environment,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type {
  Connection as WireConnection,
  Inbox as WireInbox,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { disableConnection, requireConnection } from '../../application/connections/disable-connection.js';
import type { DisableDeps } from '../../application/connections/disable-connection.js';
import { saveConnection } from '../../application/connections/save-connection.js';
import type { SaveDeps } from '../../application/connections/save-connection.js';
import type { ConnectionStore } from '../../application/connections/stores.js';
import type { TestConnection } from '../../application/connections/test-connection.js';
import type { InboxStore } from '../../application/inbox/stores.js';
import { maskNip } from '../../domain/connection.js';
import type { Connection } from '../../domain/connection.js';
import { shownWarnings } from '../../domain/credential-end.js';
import type { EndFacts } from '../../domain/credential-end.js';
import { errorOf, receivedThrough } from '../../domain/inbox.js';
import type { Inbox } from '../../domain/inbox.js';
import { waitingRefusals } from '../../domain/kept-refusals.js';

export interface ConnectionServiceDeps extends SaveDeps, DisableDeps {
  readonly connections: ConnectionStore;
  readonly tenants: Tenants;
  readonly inboxes: Pick<InboxStore, 'findMany'>;
  readonly testConnection: TestConnection;
  /** Time when KSeF stops accepting tokens in the PRODUCTION environment. Undefined if no date is known. */
  readonly tokensEnd: Date | undefined;
  readonly clock: Clock;
}

/** Implements the gRPC service invoicecontrol.ksef.v1.ConnectionService. */
export function connectionService(deps: ConnectionServiceDeps): Binding {
  const { connections, inboxes, tenants, testConnection, tokensEnd, clock } = deps;
  const encode = async (
    organizationId: string,
    found: readonly Connection[],
    context: RequestContext,
  ): Promise<WireConnection[]> => {
    if (found.length === 0) return [];
    const { companies } = await tenants.factsOf(organizationId, context);
    const names = new Map(companies.map(({ companyId, name }) => [companyId, name]));
    const ids = found.map(({ id }) => id);
    const own = new Map((await inboxes.findMany(organizationId, ids)).map((inbox) => [inbox.id, inbox]));
    const facts = { now: clock.now(), tokensEnd };
    return found.map((connection) =>
      encodeConnection(connection, names.get(connection.companyId), own.get(connection.id), facts),
    );
  };
  const encodeOne = async (connection: Connection, context: RequestContext): Promise<WireConnection | undefined> => {
    const [encoded] = await encode(connection.organizationId, [connection], context);
    return encoded;
  };
  return bind(ConnectionServiceDefinition, {
    async saveConnection({ organizationId, companyId, environment, contextNip, ksefToken, certificate }, context) {
      const { connection, isCreated } = await saveConnection(deps)(
        {
          organizationId,
          companyId,
          environment: enumName(Environment, environment),
          contextNip,
          token: ksefToken,
          certificate,
        },
        context,
      );
      return { connection: await encodeOne(connection, context), created: isCreated };
    },
    async listConnections({ organizationId, companyId, environment, status, ...page }, context) {
      const filter = {
        companyId,
        environment: optionalEnumName(Environment, environment),
        status: optionalEnumName(ConnectionStatus, status),
      };
      const { items, nextPageToken } = await connections.list(organizationId, filter, readPageRequest(page));
      return { connections: await encode(organizationId, items, context), nextPageToken };
    },
    async getConnection({ organizationId, connectionId }, context) {
      const connection = await requireConnection(connections, organizationId, connectionId);
      return { connection: await encodeOne(connection, context) };
    },
    async testConnection({ organizationId, connectionId }, context) {
      const { status, testedAt } = await testConnection(organizationId, connectionId, context);
      return { status: ConnectionStatus[status], testedTime: testedAt };
    },
    async disableConnection({ organizationId, connectionId }, context) {
      await disableConnection(deps)(organizationId, connectionId, context);
      return {};
    },
  });
}

/**
 * Encodes a KSeF connection as a gRPC message.
 * @param inbox inbox of the connection; undefined if it was never enabled
 */
export function encodeConnection(
  connection: Connection,
  companyName: string | undefined,
  inbox: Inbox | undefined,
  facts: EndFacts,
): WireConnection {
  const { id, companyId, environment, contextNip, status, lastTestedAt, lastErrorMessage, createdAt } = connection;
  const { authentication, certificate } = connection;
  return {
    connectionId: id,
    companyId,
    companyName,
    environment: Environment[environment],
    contextNipMasked: maskNip(contextNip),
    status: ConnectionStatus[status],
    lastTestedTime: lastTestedAt,
    lastErrorMessage,
    createdTime: createdAt,
    authentication: Authentication[authentication],
    certificateExpiryTime: certificate?.expiresAt,
    certificateSubjectMasked: certificate?.subjectMasked,
    warnings: shownWarnings(connection, facts).map(({ code, message, at }) => ({ code, message, time: at })),
    inbox: inbox === undefined ? undefined : encodeInbox(inbox, status),
  };
}

function encodeInbox(inbox: Inbox, status: Connection['status']): WireInbox {
  const { isEnabled: enabled, from: fromDate, lastRunAt: lastRunTime, invoicesReceived } = inbox;
  return {
    enabled,
    fromDate,
    receivedThroughTime: receivedThrough(inbox),
    lastRunTime,
    lastErrorMessage: errorOf(inbox) ?? waitOf(inbox, status),
    invoicesReceived,
    refused: waitingRefusals(inbox).map(({ ksefNumber, role, reason, firstAttemptAt, lastAttemptAt }) => ({
      ksefNumber,
      role,
      reason,
      firstAttemptTime: firstAttemptAt,
      lastAttemptTime: lastAttemptAt,
    })),
  };
}

/**
 * Explains why an enabled KSeF inbox receives nothing although no run has failed: the token or certificate of the
 * connection must be tested first.
 */
function waitOf({ isEnabled }: Inbox, status: Connection['status']): string | undefined {
  if (!isEnabled || status === 'CONNECTED') return undefined;
  return `The KSeF inbox receives no invoices while the connection status is ${status}. Test the connection.`;
}
