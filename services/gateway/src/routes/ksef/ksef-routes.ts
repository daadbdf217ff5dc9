import type { Resource } from '../../http/description/route.js';
import { dismissKsefRefusedInvoice, listKsefInboxRuns, startKsefInboxRuns } from './inbox-runs.js';
import {
  disableKsefConnection,
  getKsefConnection,
  listKsefConnections,
  saveKsefConnection,
  testKsefConnection,
  updateKsefConnection,
} from './ksef-connections.js';
import {
  cancelKsefSubmission,
  createKsefSubmission,
  createKsefSubmissions,
  getKsefConfirmation,
  getKsefSubmission,
  listAllKsefSubmissions,
  listKsefSubmissionAttempts,
  listKsefSubmissions,
} from './submissions.js';

/** Routes that call the KSeF service. */
export const ksefResources: readonly Resource[] = [
  {
    tag: 'ksef-connections',
    description: 'Connections to KSeF, the national e-invoicing system of Poland, each with the token of a company.',
    routes: [
      saveKsefConnection,
      listKsefConnections,
      testKsefConnection,
      getKsefConnection,
      updateKsefConnection,
      disableKsefConnection,
    ],
  },
  {
    tag: 'ksef-inbox',
    description:
      'Inbox runs of KSeF connections, which receive the purchase invoices of a company from KSeF, and the invoices that they refused.',
    routes: [startKsefInboxRuns, listKsefInboxRuns, dismissKsefRefusedInvoice],
  },
  {
    tag: 'ksef-submissions',
    description: 'Submissions of invoices to KSeF. Each invoice is submitted at most once.',
    routes: [
      createKsefSubmission,
      listKsefSubmissions,
      listAllKsefSubmissions,
      createKsefSubmissions,
      getKsefSubmission,
      listKsefSubmissionAttempts,
      cancelKsefSubmission,
      getKsefConfirmation,
    ],
  },
];
