import type { ServerResponse } from 'node:http';
import { startLocalServer } from '../local-server.js';
import type { LocalServer } from '../local-server.js';
import type { Call } from './call.js';
import { Clock } from './clock.js';
import { controlRoutes } from './control.js';
import { deliver } from './delivery.js';
import type { Erp, ErpDeps } from './erp.js';
import { Faults } from './faults.js';
import { RequestLog } from './request-log.js';

/**
 * Starts one simulated ERP with the paths of its vendor and the routes below `/control`. Without a port, the operating
 * system chooses one.
 */
export async function startErpServer<Tenant>(
  createErp: (deps: ErpDeps<Tenant>) => Erp<Tenant>,
  port = 0,
): Promise<LocalServer> {
  const clock = new Clock();
  const faults = new Faults();
  const log = new RequestLog();
  const tenants = new Map<string, Tenant>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let origin = '';
  const erp = createErp({ clock, tenants, origin: () => origin });
  const control = controlRoutes({ erp, tenants, clock, faults, log });

  const serve = async (call: Call, response: ServerResponse): Promise<void> => {
    response.sendDate = false;
    response.setHeader('date', clock.now().toUTCString());
    if (call.path.startsWith('/control/')) {
      await deliver({ fault: undefined, response, answer: () => control(call), refuse: refuseNothing, signal });
      return;
    }
    const tenant = erp.tenantOf(call);
    const logged = tenant !== undefined && tenants.has(tenant) ? log.add(tenant, call, clock.now()) : undefined;
    const { delivery, change } = faults.take(call, tenant);
    const status = await deliver({
      fault: delivery,
      response,
      answer: () => {
        const answer = change(erp.handle(call));
        // The ERP simulator writes the status to the request log before the client gets the response.
        if (logged !== undefined) logged.status = answer.status;
        return answer;
      },
      refuse: (code) => erp.refuse(code, call),
      signal,
    });
    if (logged !== undefined) logged.status = status;
  };
  const server = await startLocalServer(serve, port);
  origin = server.url;
  return {
    url: origin,
    async stop() {
      stopping.abort();
      await server.stop();
    },
  };
}

function refuseNothing(): never {
  throw new Error('control routes have no faults');
}
