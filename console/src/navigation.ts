import type { Caller } from './client.js';
import { messages } from './messages/messages.js';
import { may, rights } from './rights.js';
import type { Right } from './rights.js';

interface Place {
  readonly to: string;
  readonly text: string;
  readonly right: Right;
}

/** A group of pages that share one entry of the main navigation. */
interface Group {
  readonly text: string;
  readonly places: readonly Place[];
}

const { navigation: texts } = messages;

const places: readonly (Place | Group)[] = [
  { to: '/findings', text: texts.findings, right: rights.readFindings },
  { to: '/invoices', text: texts.invoices, right: rights.readInvoices },
  { to: '/uploads', text: texts.uploads, right: rights.readInvoices },
  { to: '/payment-runs', text: texts.paymentRuns, right: rights.readPayments },
  { to: '/suppliers', text: texts.suppliers, right: rights.readInvoices },
  { to: '/vendors', text: texts.vendors, right: rights.readVendors },
  { to: '/scans', text: texts.scans, right: rights.readScans },
  { to: '/report', text: texts.report, right: rights.readFindings },
  {
    text: texts.connections,
    places: [
      { to: '/webhooks', text: texts.webhooks, right: rights.readWebhooks },
      { to: '/erp', text: texts.erp, right: rights.readErp },
      { to: '/ksef', text: texts.ksef, right: rights.readKsef },
    ],
  },
  {
    text: texts.administration,
    places: [
      { to: '/members', text: texts.members, right: rights.readAdministration },
      { to: '/keys', text: texts.keys, right: rights.readAdministration },
      { to: '/companies', text: texts.companies, right: rights.readAdministration },
      { to: '/rules', text: texts.rules, right: rights.readRules },
      { to: '/usage', text: texts.usage, right: rights.readOrganization },
      { to: '/billing', text: texts.billing, right: rights.readAdministration },
      { to: '/audit', text: texts.audit, right: rights.readAdministration },
      { to: '/notifications', text: texts.notifications, right: rights.readAdministration },
      { to: '/settings', text: texts.settings, right: rights.readOrganization },
    ],
  },
];

/** An entry of the main navigation. `below` lists the pages of a group. */
export interface Entry {
  readonly to: string;
  readonly text: string;
  readonly below: readonly { readonly to: string; readonly text: string }[];
}

/** Returns the navigation with the pages that the caller may read. The entry of a group leads to its first page. */
export function navigationOf(caller: Caller): readonly Entry[] {
  return places.flatMap((place): readonly Entry[] => {
    if ('to' in place) return may(caller, place.right) ? [{ ...place, below: [] }] : [];
    const below = place.places.filter(({ right }) => may(caller, right));
    return below[0] === undefined ? [] : [{ to: below[0].to, text: place.text, below }];
  });
}
