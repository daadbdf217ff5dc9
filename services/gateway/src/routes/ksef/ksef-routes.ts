import type { Resource } from '../../http/description/route.js';
import {
  disableKsefConnection,
  getKsefConnection,
  listKsefConnections,
  saveKsefConnection,
  testKsefConnection,
} from './ksef-connections.js';
import {
  cancelKsefSubmission,
  createKsefSubmission,
  createKsefSubmissions,
  getKsefConfirmation,
  getKsefSubmission,
  listKsefSubmissionAttempts,
  listKsefSubmissions,
} from './submissions.js';

/** What the ksef service answers. */
export const ksefResources: readonly Resource[] = [
  {
    tag: 'ksef-connections',
    description: 'Tokens of companies for KSeF, the national e-invoicing system of Poland.',
    routes: [saveKsefConnection, listKsefConnections, testKsefConnection, getKsefConnection, disableKsefConnection],
  },
  {
    tag: 'ksef-submissions',
    description: 'Invoices that are submitted to KSeF, each at most once.',
    routes: [
      createKsefSubmission,
      listKsefSubmissions,
      createKsefSubmissions,
      getKsefSubmission,
      listKsefSubmissionAttempts,
      cancelKsefSubmission,
      getKsefConfirmation,
    ],
  },
];
