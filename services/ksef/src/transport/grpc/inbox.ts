import {
  InboxRole,
  InboxRunStatus,
  InboxRunTrigger,
  InboxServiceDefinition,
} from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import type { InboxRun as WireRun } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { dismissRefusal, listRuns, startRuns, updateInbox } from '../../application/inbox/change-inbox.js';
import type { InboxDeps } from '../../application/inbox/change-inbox.js';
import type { InboxRun } from '../../domain/inbox.js';
import { encodeConnection } from './connections.js';

export interface InboxServiceDeps extends InboxDeps {
  readonly tenants: Pick<Tenants, 'factsOf'>;
  /** Time when KSeF stops accepting tokens in the PRODUCTION environment. Undefined if no date is known. */
  readonly tokensEnd: Date | undefined;
}

/** Implements the gRPC service invoicecontrol.ksef.v1.InboxService. */
export function inboxService(deps: InboxServiceDeps): Binding {
  const update = updateInbox(deps);
  const start = startRuns(deps);
  const list = listRuns(deps);
  const dismiss = dismissRefusal(deps);
  return bind(InboxServiceDefinition, {
    async updateInbox({ organizationId, connectionId, enabled: isEnabled, fromDate: from }, context) {
      const { connection, inbox } = await update({ organizationId, connectionId, isEnabled, from }, context);
      const { companies } = await deps.tenants.factsOf(organizationId, context);
      const facts = { now: deps.clock.now(), tokensEnd: deps.tokensEnd };
      const company = companies.find(({ companyId }) => companyId === connection.companyId);
      return { connection: encodeConnection(connection, company?.name, inbox, facts) };
    },
    async startInboxRuns({ organizationId, connectionId }) {
      await start(organizationId, connectionId);
      return {};
    },
    async listInboxRuns({ organizationId, connectionId }) {
      return { runs: (await list(organizationId, connectionId)).map(encodeRun) };
    },
    async dismissRefusedInvoice(request, context) {
      await dismiss(request, context);
      return {};
    },
  });
}

function encodeRun(run: InboxRun): WireRun {
  const { id, role, trigger, status, from, through, received, repeated, refused } = run;
  return {
    runId: id,
    role: InboxRole[role],
    trigger: InboxRunTrigger[trigger],
    status: InboxRunStatus[status],
    fromTime: new Date(from),
    throughTime: through === undefined ? undefined : new Date(through),
    received,
    repeated,
    refused: refused.map(({ ksefNumber, reason }) => ({ ksefNumber, reason })),
    errorMessage: run.errorMessage,
    startedTime: run.startedAt,
    finishedTime: run.finishedAt,
  };
}
