import type { Resource } from '../../http/description/route.js';
import { getScanReport } from './scan-report.js';
import { createScan, getScan, listScans } from './scans.js';

/** Routes that call the history scan service. */
export const scanResources: readonly Resource[] = [
  {
    tag: 'scans',
    description:
      'Analyze up to 5,000 historical invoices in one request. The invoices are analyzed together and become the history of their suppliers.',
    routes: [createScan, listScans, getScan, getScanReport],
  },
];
