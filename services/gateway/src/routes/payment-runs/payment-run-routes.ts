import type { Resource } from '../../http/description/route.js';
import {
  createPaymentRun,
  downloadPaymentFile,
  getPaymentRun,
  listPaymentLines,
  listPaymentRuns,
  recheckPaymentRun,
  releasePaymentLine,
  reportPaymentStatuses,
} from './payment-runs.js';

/** Routes that check payment runs before the bank executes the payments. */
export const paymentRunResources: readonly Resource[] = [
  {
    tag: 'payment-runs',
    description: 'Check the payments of a file for the bank line by line, before the money leaves.',
    routes: [
      createPaymentRun,
      listPaymentRuns,
      getPaymentRun,
      listPaymentLines,
      recheckPaymentRun,
      downloadPaymentFile,
      releasePaymentLine,
      reportPaymentStatuses,
    ],
  },
];
