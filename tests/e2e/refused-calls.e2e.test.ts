// Makes calls inside the running product that the owners of the data refuse, and reads them as the attacked
// organization sees them.
import { randomUUID } from 'node:crypto';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { testGrant, testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import type { Page } from './shapes.js';

interface AuditEvent {
  readonly actor: { readonly type: string; readonly id: string };
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly requestId: string;
}

let running: RunningSystem;
const channels: Channel[] = [];
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(async () => {
  for (const channel of channels) channel.close();
  await running.stop();
});

function channelTo(service: 'analysis' | 'organization', caller: string): Channel {
  const channel = openChannel(running.system.addresses[service], { service, identity: testIdentity(caller) });
  channels.push(channel);
  return channel;
}

const callWith = (requestId: string, grant?: Buffer) => ({
  context: { requestId, actor: { type: 'USER', id: 'impostor' }, grant } as const,
  timeoutMs: 60_000,
});

async function refusalsIn(key: string): Promise<readonly AuditEvent[]> {
  const { status, body } = await running.request<Page<AuditEvent>>(
    'GET /audit-events?action=rpc.refused&outcome=REFUSED',
    { key },
  );
  expect(status).toBe(200);
  return body.items;
}

test('an organization reads in its audit trail which service was refused a call for it, and for what reason', async () => {
  const { tenant, other } = running;
  const { organizationId } = tenant;
  const finding = { organizationId, findingId: randomUUID() };
  const byWebhooks = client(FindingServiceDefinition, channelTo('analysis', 'webhooks'));
  const byGateway = client(FindingServiceDefinition, channelTo('analysis', 'gateway'));
  const companies = client(CompanyServiceDefinition, channelTo('organization', 'gateway'));
  const company = { organizationId, companyId: randomUUID() };
  const [unlisted, foreign, viewer] = ['unlisted', 'foreign', 'viewer'].map((name) => `${name}-${randomUUID()}`);
  const calls: readonly (() => Promise<unknown>)[] = [
    () => byWebhooks.getFinding(finding, callWith(unlisted ?? '')),
    () => byGateway.getFinding(finding, callWith(foreign ?? '', testGrant(other.organizationId))),
    () => companies.deleteCompany(company, callWith(viewer ?? '', testGrant(organizationId, { role: 'VIEWER' }))),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ kind: 'forbidden' });

  const refusal = (caller: string, requestId: string | undefined, target: string) =>
    expect.objectContaining({
      action: 'rpc.refused',
      outcome: 'REFUSED',
      actor: expect.objectContaining({ type: 'SYSTEM', id: caller }) as object,
      requestId,
      target,
    }) as object;
  const getFinding = 'rpc:invoicecontrol.analysis.v1.FindingService/GetFinding';
  await eventually(async () =>
    expect(await refusalsIn(tenant.keys.owner)).toEqual(
      expect.arrayContaining([
        refusal('webhooks', unlisted, `${getFinding} not_listed`),
        refusal('gateway', foreign, `${getFinding} grant_foreign`),
        refusal('gateway', viewer, 'rpc:invoicecontrol.organization.v1.CompanyService/DeleteCompany grant_role'),
      ]),
    ),
  );
  expect(await refusalsIn(other.keys.owner)).toEqual([]);
});
