import { businessCentral } from './business-central/simulator.js';
import { odoo } from './odoo/simulator.js';
import { startErpServer } from './server.js';

export interface ErpSimulators {
  /** Each without a trailing slash; the vendor's paths and `/control` lie below it. */
  readonly urls: {
    readonly businessCentral: string;
    readonly odoo: string;
  };
  readonly stop: () => Promise<void>;
}

export type ErpName = keyof ErpSimulators['urls'];

/** Starts every ERP on a port of its own. Without a port the system chooses one. */
export async function startErpSimulators(
  options: { readonly ports?: Readonly<Partial<Record<ErpName, number>>> } = {},
): Promise<ErpSimulators> {
  const { ports = {} } = options;
  const servers = {
    businessCentral: await startErpServer(businessCentral, ports.businessCentral),
    odoo: await startErpServer(odoo, ports.odoo),
  };
  return {
    urls: {
      businessCentral: servers.businessCentral.url,
      odoo: servers.odoo.url,
    },
    stop: async () => {
      await Promise.all(Object.values(servers).map(async (server) => server.stop()));
    },
  };
}
