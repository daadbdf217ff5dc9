import type {
  GetSupplierResponse,
  KnownSupplier,
  SupplierAccount,
  Verification,
} from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { LABEL_LENGTH_MAX, note, pathId, stated, text } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';

/** Maximum length of a supplier's contact that the analysis service accepts. */
const CONTACT_LENGTH_MAX = 200;
const ACCOUNTS_MAX = 16;
const VERIFICATIONS_MAX = 20;

const method = z
  .enum(['CALL_BACK', 'LETTER', 'PORTAL', 'IN_PERSON'])
  .describe(
    'The way in which the bank account was verified with the supplier: CALL_BACK (by phone), LETTER (by post or e-mail), PORTAL (in a portal of the supplier) or IN_PERSON.',
  );
const contactSource = z
  .enum(['VENDOR_MASTER', 'CONTRACT', 'PUBLIC_REGISTER'])
  .describe(
    'The source of the contact with which the bank account was verified: VENDOR_MASTER, CONTRACT or PUBLIC_REGISTER.',
  );

const confirmation = shown.record<Verification>('VerificationConfirmation')({
  by: shown.made(
    z.string().describe('The person who confirmed the verification of the bank account.'),
    ({ confirmedBy }: Verification) => stated(confirmedBy),
    `USER:${EXAMPLE_IDS.organization}`,
  ),
  at: shown.instant(
    EXAMPLE_INSTANT,
    'The time when another person confirmed the verification of the bank account.',
    'confirmedTime',
  ),
});

const verification = shown.record<Verification>('AccountVerification')({
  id: shown.id(EXAMPLE_IDS.verification, 'The id of the verification.', 'verificationId'),
  supplierId: shown.id(EXAMPLE_IDS.supplier, 'The id of the supplier.'),
  accountId: shown.id(EXAMPLE_IDS.account, 'The id of the bank account of the supplier.'),
  account: shown.text('DE89**************3000', 'The bank account of the supplier, masked.', 'maskedAccount'),
  method: shown.word(method, 'CALL_BACK'),
  contactSource: shown.word(contactSource, 'VENDOR_MASTER'),
  contact: shown.textOrNull(
    '+49 40 1234567',
    'The phone number, address or portal with which the bank account was verified, or null if the role of the API key is lower than ADMIN.',
  ),
  note: shown.text(
    'Spoke with accounting, who read out the account.',
    'The note of the person who verified the bank account, or an empty string.',
  ),
  by: shown.text(
    `USER:${EXAMPLE_IDS.assignee}`,
    'The person who verified the bank account with the supplier.',
    'verifiedBy',
  ),
  at: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the verification of the bank account was recorded.',
    'verifiedTime',
  ),
  confirmation: shown.made(
    confirmation.schema
      .nullable()
      .describe('The confirmation of the verification by another person, or null until the verification is confirmed.'),
    (one: Verification) => (one.confirmedBy === undefined ? null : confirmation.present(one)),
    null,
  ),
});

const account = shown.record<SupplierAccount>('SupplierAccount')({
  id: shown.id(EXAMPLE_IDS.account, 'The id of the bank account of the supplier. The id never changes.', 'accountId'),
  masked: shown.text('DE89**************3000', 'The bank account of the supplier, masked.', 'maskedAccount'),
  scheme: shown.word(z.enum(['IBAN', 'UK']).describe('The kind of bank account number: IBAN or UK.'), 'IBAN'),
  country: shown.textOrNull('DE', 'The country of the bank account, or null if not known.'),
  trust: shown.word(
    z
      .enum(['UNVERIFIED', 'SEEN', 'ERP', 'REVIEWED', 'FRAUD'])
      .describe(
        'The trust that the bank account belongs to the supplier: UNVERIFIED, SEEN (earned by invoices without findings), ERP (in the vendor master), REVIEWED (accepted by a reviewer) or FRAUD (confirmed by a reviewer; every invoice with the bank account is blocked). A verification does not change the trust.',
      ),
    'SEEN',
  ),
  firstSeen: shown.text('2026-03-05', 'The day on which the bank account was first seen on an invoice.'),
  lastSeen: shown.text('2026-09-05', 'The date of the last invoice that states the bank account.'),
  invoiceCount: shown.count(7, 'The number of invoices that state the bank account.'),
  sharedWith: shown.count(0, 'The number of other suppliers that use the bank account.'),
  verifications: shown.list(verification, 'The newest verifications of the bank account, newest first.', {
    itemsMax: VERIFICATIONS_MAX,
  }),
});

const supplier = shown.record<KnownSupplier>('Supplier')({
  id: shown.id(EXAMPLE_IDS.supplier, 'The id of the supplier.', 'supplierId'),
  name: shown.text('Nordlicht Energie GmbH', 'The name of the supplier on its first invoice.'),
  taxIds: shown.field(z.array(z.string()).describe('The tax ids of the supplier.'), ['DE994175284']),
  country: shown.textOrNull('DE', 'The country of the tax id, or null if not known.'),
  status: shown.word(
    z
      .enum(['NEW', 'KNOWN', 'BLOCKED'])
      .describe(
        'The status of the supplier: NEW (one invoice at most), KNOWN, or BLOCKED (fraud was confirmed on one of its accounts).',
      ),
    'KNOWN',
  ),
  invoiceCount: shown.count(42, 'The number of invoices that were counted for the supplier.'),
  firstInvoiceDate: shown.textOrNull(
    '2024-03-05',
    'The date of the first invoice of the supplier, or null if no invoice was counted.',
  ),
  lastInvoiceDate: shown.textOrNull(
    '2026-09-05',
    'The date of the last invoice of the supplier, or null if no invoice was counted.',
  ),
  openFindings: shown.count(3, 'The number of findings that wait for a review, at most 100.'),
});

const supplierOverview = shown.record<GetSupplierResponse>('SupplierOverview')({
  ...shown.within('supplier', supplier),
  accounts: shown.list(account, 'The bank accounts that the supplier has stated on invoices, oldest first.', {
    itemsMax: ACCOUNTS_MAX,
  }),
});

export const listSuppliers = route({
  operation: 'listSuppliers',
  method: 'get',
  path: '/suppliers',
  summary: 'List suppliers by name',
  rpc: 'invoicecontrol.analysis.v1.SupplierService/ListSuppliers',
  access: { scope: 'invoices:read' },
  query: pageQuery.omit({ created_from: true, created_to: true }).extend({
    q: text(LABEL_LENGTH_MAX)
      .optional()
      .describe(
        'Return only suppliers whose name begins with this string, or that have this tax id. Case, accents and legal forms are ignored.',
      ),
  }),
  responses: { 200: { description: 'A page of suppliers.', schema: pageOf('suppliers', supplier.schema) } },
  async handle({ query }, { suppliers }) {
    const list = listRequest('listSuppliers', query);
    const { pageSize, pageToken } = list.request;
    const reply = await suppliers.listSuppliers({ pageSize, pageToken, query: query.q?.trim() });
    return { status: 200, body: list.page(reply.suppliers.map(supplier.present), reply.nextPageToken) };
  },
});

export const getSupplier = route({
  operation: 'getSupplier',
  method: 'get',
  path: '/suppliers/:supplierId',
  summary: 'Read a supplier with its bank accounts and how they were verified',
  rpc: 'invoicecontrol.analysis.v1.SupplierService/GetSupplier',
  access: { scope: 'invoices:read' },
  params: z.object({ supplierId: pathId('supplier') }),
  responses: { 200: { description: 'The supplier with its bank accounts.', schema: supplierOverview.schema } },
  async handle({ params }, { suppliers }) {
    const { supplierId } = params;
    const reply = await suppliers.getSupplier({ supplierId });
    return { status: 200, body: supplierOverview.present(reply) };
  },
});

export const verifyAccount = route({
  operation: 'verifyAccount',
  method: 'post',
  path: '/suppliers/:supplierId/accounts/:accountId/verifications',
  summary: 'Record that a bank account was verified with the supplier',
  description:
    'Records that the bank account was verified with the supplier by a call-back, a letter, a supplier portal or a visit. A contact that an invoice or a document of the supplier states is refused, because a forger would have put the contact there. A verification does not change any decision: a person reviews the finding.',
  rpc: 'invoicecontrol.analysis.v1.SupplierService/CreateVerification',
  resourceName: 'account',
  access: { minimumRole: 'ANALYST', scope: 'payments:write' },
  // The timeout for recording a verification is long, because the documents of the supplier are searched for the
  // contact.
  timeoutMs: 30_000,
  params: z.object({
    supplierId: pathId('supplier'),
    accountId: pathId('account', 'account', 'bank account of the supplier'),
  }),
  body: z
    .strictObject({
      method,
      contact_source: contactSource,
      contact: text(CONTACT_LENGTH_MAX).describe(
        'The phone number, address or portal with which the bank account was verified. The contact is stored encrypted, and shown only to the role ADMIN and in the export.',
      ),
      note: note().optional().describe('A note about what the supplier said about the account, and who said it.'),
    })
    .meta({ id: 'AccountVerificationCreation' })
    .register(examples, {
      example: {
        method: 'CALL_BACK',
        contact_source: 'VENDOR_MASTER',
        contact: '+49 40 1234567',
        note: 'Spoke with accounting, who read out the account.',
      },
    }),
  responses: {
    201: {
      description:
        'The recorded verification of the bank account. `Location` is the path of the supplier, which shows the verification.',
      schema: verification.schema,
      headers: ['Location'],
    },
  },
  async handle({ params, body }, { suppliers }) {
    const reply = await suppliers.createVerification({
      ...params,
      method: body.method,
      contactSource: body.contact_source,
      contact: body.contact.trim(),
      note: body.note ?? '',
    });
    return {
      status: 201,
      body: verification.present(stated(reply.verification)),
      headers: { Location: `/v1/suppliers/${params.supplierId}` },
    };
  },
});

export const confirmVerification = route({
  operation: 'confirmVerification',
  method: 'post',
  path: '/suppliers/:supplierId/accounts/:accountId/verifications/:verificationId/confirm',
  summary: 'Record that another person confirms the verification of a bank account',
  description:
    'Confirms the verification of a bank account as a second person. A person is the member that an API key belongs to or, if the key belongs to no member, the creator of the key. A repeated request of the same person changes nothing.',
  rpc: 'invoicecontrol.analysis.v1.SupplierService/ConfirmVerification',
  resourceName: 'verification',
  access: { minimumRole: 'ANALYST', scope: 'payments:write' },
  params: z.object({
    supplierId: pathId('supplier'),
    accountId: pathId('account', 'account', 'bank account of the supplier'),
    verificationId: pathId('verification', 'verification', 'verification of the bank account'),
  }),
  responses: { 200: { description: 'The confirmed verification of the bank account.', schema: verification.schema } },
  refusals: [409],
  async handle({ params }, { suppliers }) {
    const reply = await suppliers.confirmVerification(params);
    return { status: 200, body: verification.present(stated(reply.verification)) };
  },
});
