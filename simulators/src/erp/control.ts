import { z } from 'zod';
import type { Answer, Call } from './call.js';
import type { Clock } from './clock.js';
import { ControlRefusal, expirable } from './erp.js';
import type { Erp } from './erp.js';
import { faultSchema } from './faults.js';
import type { Faults } from './faults.js';
import type { RequestLog } from './request-log.js';

const TENANTS_MAX = 1_000;
const SECONDS_MAX = 20 * 366 * 86_400;

const recordsSchema = z.strictObject({
  entity: z.string(),
  records: z.array(z.record(z.string(), z.unknown())).default([]),
  remove: z.array(z.union([z.string(), z.number()])).default([]),
});
const expireSchema = z.strictObject({ what: z.enum(expirable) });
const clockSchema = z.strictObject({ advanceSeconds: z.number().min(0).max(SECONDS_MAX) });

interface ControlDeps<Tenant> {
  readonly erp: Erp<Tenant>;
  readonly tenants: Map<string, Tenant>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly log: RequestLog;
}

/** Returns the routes of the simulated ERPs below `/control` (ERP reference, section 14) for data, faults and time. */
export function controlRoutes<Tenant>({ erp, tenants, clock, faults, log }: ControlDeps<Tenant>) {
  const require = (id: string): Tenant => {
    const tenant = tenants.get(id);
    if (tenant === undefined) {
      throw new ControlRefusal(404, `There is no tenant ${id}. PUT /control/tenants/${id} makes it.`);
    }
    return tenant;
  };
  const routes: Readonly<Record<string, (call: Call, tenant: string) => Answer>> = {
    'PUT /control/tenants/:id': ({ body }, id) => {
      if (!tenants.has(id) && tenants.size >= TENANTS_MAX) {
        throw new ControlRefusal(400, `There are ${TENANTS_MAX} tenants, and that is the limit. Use one of them.`);
      }
      tenants.set(id, erp.createTenant(id, readJson(body)));
      log.clear(id);
      return { status: 200, body: { tenant: id } };
    },
    'POST /control/tenants/:id/records': ({ body }, id) => {
      const tenant = require(id);
      const change = recordsSchema.parse(readJson(body));
      erp.putRecords(tenant, change);
      return { status: 200, body: { count: change.records.length + change.remove.length } };
    },
    'GET /control/tenants/:id/requests': ({ query }, id) => {
      require(id);
      return { status: 200, body: { items: log.after(id, Number(query['after'] ?? 0)) } };
    },
    'POST /control/tenants/:id/expire': ({ body }, id) => {
      const tenant = require(id);
      const { what } = expireSchema.parse(readJson(body));
      erp.expire(tenant, what);
      return { status: 200, body: { what } };
    },
    'GET /control/tenants/:id/tokens': (_, id) => {
      const tenant = require(id);
      if (erp.countTokens === undefined) throw new ControlRefusal(404, 'This ERP has no refresh tokens.');
      return { status: 200, body: erp.countTokens(tenant) };
    },
    'POST /control/faults': ({ body }) => {
      const id = faults.add(faultSchema.parse(readJson(body)));
      if (id === undefined)
        throw new ControlRefusal(400, 'Too many faults are planned. Remove them with DELETE /control/faults first.');
      return { status: 201, body: { id } };
    },
    'GET /control/faults': () => ({ status: 200, body: { items: faults.list() } }),
    'DELETE /control/faults': () => {
      faults.removeAll();
      return { status: 204 };
    },
    'POST /control/clock': ({ body }) => {
      clock.advance(clockSchema.parse(readJson(body)).advanceSeconds);
      return { status: 200, body: { now: clock.now().toISOString() } };
    },
  };

  return (call: Call): Answer => {
    const [, , resource = '', tenant = '', ...rest] = call.path.split('/');
    const path = resource === 'tenants' ? ['control', resource, ':id', ...rest].join('/') : call.path.slice(1);
    const handle = routes[`${call.method} /${path}`];
    try {
      if (handle === undefined) throw new ControlRefusal(404, `There is no ${call.method} ${call.path}.`);
      return handle(call, tenant);
    } catch (error) {
      if (error instanceof ControlRefusal) return { status: error.status, body: { error: error.message } };
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      throw error;
    }
  };
}

/**
 * Parses the JSON body of a control request to the simulated ERP.
 * @throws ControlRefusal if the text is not JSON
 */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw new ControlRefusal(400, 'The body is not JSON.');
  }
}
