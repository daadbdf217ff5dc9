import type { Resource } from '../../http/description/route.js';
import {
  createErpConnection,
  deleteErpConnection,
  getErpConnection,
  listErpConnections,
  testErpConnection,
  updateErpConnection,
} from './erp-connections.js';
import { erpConsentCallbacks, startErpConsent } from './erp-consents.js';
import { listErpRuns, startErpRun } from './erp-runs.js';

/** Routes that call the erp-sync service. */
export const erpResources: readonly Resource[] = [
  {
    tag: 'erp-connections',
    description:
      'Connections to ERP systems, from which vendors, bills, orders and payments are synchronised every hour.',
    routes: [
      createErpConnection,
      listErpConnections,
      startErpConsent,
      ...erpConsentCallbacks,
      startErpRun,
      listErpRuns,
      testErpConnection,
      getErpConnection,
      updateErpConnection,
      deleteErpConnection,
    ],
  },
];
