import type { Resource } from '../../http/description/route.js';
import { createScan, getScan, listScans } from './scans.js';

/** What the scan service answers. */
export const scanResources: readonly Resource[] = [
  {
    tag: 'scans',
    description:
      'Old invoices, up to 5,000 in a request: they are analyzed together and become the history of suppliers.',
    routes: [createScan, listScans, getScan],
  },
];
