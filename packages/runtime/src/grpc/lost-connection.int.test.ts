import { afterEach, beforeEach, test } from 'vitest';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import type { TcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { openTestChannel, testIdentity } from '../testing/test-identities.js';
import { createLogger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
import { client } from './client.js';
import { bind, startGrpcServer } from './server.js';
import type { GrpcServer } from './server.js';

const context: RequestContext = { requestId: 'req-1', actor: { type: 'SYSTEM', id: 'test' } };
const request = {
  organizationId: 'o1',
  pageSize: 5,
  pageToken: '',
  createdFromTime: undefined,
  createdToTime: undefined,
};

let server: GrpcServer;
let proxy: TcpProxy;
beforeEach(async () => {
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [bind(AuditServiceDefinition, { listAuditEvents: async () => ({ auditEvents: [], nextPageToken: '' }) })],
  });
  const [serverHost = '', serverPort] = server.address.split(':');
  proxy = await startTcpProxy({ serverHost, serverPort: Number(serverPort) });
});
afterEach(async () => {
  await proxy.close();
  await server.stop(1_000);
});

test('a connection whose other end is gone without a word is replaced', async () => {
  const channel = openTestChannel('organization', `127.0.0.1:${proxy.port}`);
  const audit = client(AuditServiceDefinition, channel);
  try {
    await audit.listAuditEvents(request, { context });
    proxy.swallow();
    proxy.heal();
    await eventually(() => audit.listAuditEvents(request, { context, timeoutMs: 1_000 }));
  } finally {
    channel.close();
  }
});
