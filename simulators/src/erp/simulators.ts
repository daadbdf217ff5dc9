import { businessCentral } from './business-central/simulator.js';
import type { OAuthClient } from './oauth/authorization-server.js';
import { odoo } from './odoo/simulator.js';
import { quickBooks } from './quickbooks/simulator.js';
import { startErpServer } from './server.js';
import { xero } from './xero/simulator.js';

/** The OAuth app that is registered at an ERP vendor. */
export interface RegisteredApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Redirect URIs of the app for OAuth consents. They are compared exactly. */
  readonly redirectUris: readonly string[];
}

export interface ErpSimulatorsOptions {
  readonly ports?: Readonly<Partial<Record<ErpName, number>>>;
  /** OAuth app for QuickBooks Online. If absent, QuickBooks Online cannot be connected. */
  readonly quickBooksApp?: RegisteredApp;
  /** OAuth app for Xero. If absent, Xero cannot be connected. */
  readonly xeroApp?: RegisteredApp;
}

export interface ErpSimulators {
  /**
   * Base URLs of the simulated ERPs without a trailing slash. The paths of the vendor and `/control` are below them.
   */
  readonly urls: {
    readonly businessCentral: string;
    readonly odoo: string;
    readonly quickBooks: string;
    readonly xero: string;
  };
  /**
   * Replaces the redirect URIs of an OAuth app. The address of the product, which the URIs contain, may be known only
   * after the simulated ERPs have started.
   */
  readonly setRedirectUris: (name: 'quickBooks' | 'xero', redirectUris: readonly string[]) => void;
  readonly stop: () => Promise<void>;
}

export type ErpName = keyof ErpSimulators['urls'];

const NO_APP: RegisteredApp = { clientId: '', clientSecret: '', redirectUris: [] };

/** Starts every simulated ERP on a separate port. Without a port, the operating system chooses one. */
export async function startErpSimulators(options: ErpSimulatorsOptions = {}): Promise<ErpSimulators> {
  const { ports = {}, quickBooksApp = NO_APP, xeroApp = NO_APP } = options;
  const redirectUris = { quickBooks: quickBooksApp.redirectUris, xero: xeroApp.redirectUris };
  const client = (app: RegisteredApp, name: keyof typeof redirectUris): OAuthClient => ({
    ...app,
    redirectUris: () => redirectUris[name],
  });
  const started = await Promise.allSettled([
    startErpServer(businessCentral, ports.businessCentral),
    startErpServer(odoo, ports.odoo),
    startErpServer(quickBooks(client(quickBooksApp, 'quickBooks')), ports.quickBooks),
    startErpServer(xero(client(xeroApp, 'xero')), ports.xero),
  ]);
  const servers = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(async (server) => server.stop()));
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const [businessCentralUrl = '', odooUrl = '', quickBooksUrl = '', xeroUrl = ''] = servers.map(({ url }) => url);
  return {
    urls: {
      businessCentral: businessCentralUrl,
      odoo: odooUrl,
      quickBooks: quickBooksUrl,
      xero: xeroUrl,
    },
    setRedirectUris(name, uris) {
      redirectUris[name] = uris;
    },
    stop,
  };
}
