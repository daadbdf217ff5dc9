import { z } from 'zod';
import { ControlRefusal } from '../erp/erp.js';
import { readStatedFacts } from './check-document.js';
import { FA3, STORAGE_STEP } from './invoices.js';
import type { ForeignInvoice } from './invoices.js';
import { microTimestamp, polishDay } from './numbers.js';
import type { InvoiceFacts } from './records.js';

const COUNT_MAX = 10_000;
const SUBJECTS_MAX = 100;
const XML_CHARACTERS_MAX = 3_000_000;
const SECONDS_MAX = 366 * 86_400;

const nip = z.string().regex(/^\d{10}$/, 'must be ten digits');

/** Body of `POST /control/invoices` of the simulated KSeF (KSeF reference, sections 17 and 19). */
export const foreignInvoiceSchema = z
  .strictObject({
    /** Company that sent the document to KSeF, by default its seller. */
    context: nip.optional(),
    /** NIP of the seller of a registered invoice. Like other absent fields, an absent NIP is read from the XML. */
    sellerNip: nip.optional(),
    buyerNip: nip.optional(),
    /** Companies that receive the invoice as Subject3 with role 2 (recipient). */
    thirdNips: z.array(nip).max(SUBJECTS_MAX).optional(),
    /** Company that receives the invoice as SubjectAuthorized with role 3 (tax representative). */
    authorizedNip: nip.optional(),
    kind: z.enum(['VAT', 'KOR', 'ZAL', 'ROZ', 'UPR', 'KOR_ZAL', 'KOR_ROZ']).optional(),
    // The invoice number has the same restrictions as P_2 in the schema, because confirmations write it into XML.
    number: z
      .string()
      .min(1)
      .max(256)
      .regex(/^[^\p{C}]*$/u, 'must not have control characters')
      .optional(),
    /** Hash that the metadata of the invoice states, even if the document has another hash. */
    invoiceHash: z.base64().length(44).optional(),
    /**
     * Document that the receiving parties get from KSeF. It is not checked. If it is absent, a valid FA(3) document is
     * generated.
     */
    xml: z.string().min(1).max(XML_CHARACTERS_MAX).optional(),
    /** Number of invoices to register. `/1`, `/2` and so on are appended to the invoice number. */
    count: z.int().min(1).max(COUNT_MAX).optional(),
    /**
     * Number of seconds by which the storage date of the invoice in KSeF is in the past. The storage date may be
     * earlier than a high water mark that the simulator has already stated.
     */
    storedSecondsAgo: z.int().min(0).max(SECONDS_MAX).optional(),
    /**
     * Open KSeF session of the context in which the document was sent. By default, the document has a separate session.
     */
    sessionReferenceNumber: z.string().optional(),
  })
  .refine(({ count, xml }) => count === undefined || xml === undefined, 'must have either count or xml');

/**
 * Reads the invoices in a control request.
 * @throws ControlRefusal unless the request or its XML states the seller and the number of the document
 */
export function readForeignInvoices(
  request: z.infer<typeof foreignInvoiceSchema>,
  now: Date,
): { readonly context: string; readonly invoices: readonly ForeignInvoice[] } {
  const { xml, count, storedSecondsAgo, invoiceHash } = request;
  const storedMs = now.getTime() - (storedSecondsAgo ?? 0) * 1_000;
  const facts = factsOf(request, new Date(storedMs));
  const numbers =
    count === undefined ? [facts.number] : Array.from({ length: count }, (_, n) => `${facts.number}/${n + 1}`);
  const invoices = numbers.map((number, n) => ({
    facts: { ...facts, number },
    xml,
    invoiceHash,
    storedAt: storedSecondsAgo === undefined ? undefined : microTimestamp(storedMs * 1_000 + n * STORAGE_STEP),
  }));
  return { context: request.context ?? facts.sellerNip, invoices };
}

function factsOf(request: z.infer<typeof foreignInvoiceSchema>, receivedAt: Date): InvoiceFacts {
  const { xml, buyerNip, thirdNips, authorizedNip, kind } = request;
  const stated = xml === undefined ? undefined : readStatedFacts(xml);
  const sellerNip = request.sellerNip ?? stated?.sellerNip ?? '';
  const number = request.number ?? stated?.number ?? '';
  if (!nip.safeParse(sellerNip).success || number === '') {
    throw new ControlRefusal(400, 'The request must have `sellerNip` and `number`, or XML that states both.');
  }
  return {
    sellerName: stated?.sellerName ?? 'Sprzedawca',
    buyerName: stated?.buyerName ?? null,
    issueDate: stated?.issueDate ?? polishDay(receivedAt),
    currency: stated?.currency ?? 'PLN',
    net: stated?.net ?? 100,
    vat: stated?.vat ?? 23,
    gross: stated?.gross ?? 123,
    isSelfInvoicing: stated?.isSelfInvoicing ?? false,
    hasAttachment: stated?.hasAttachment ?? false,
    formCode: stated?.formCode ?? FA3,
    sellerNip,
    number,
    kind: kind ?? stated?.kind ?? 'VAT',
    buyer: buyerNip === undefined ? (stated?.buyer ?? { type: 'None', value: null }) : { type: 'Nip', value: buyerNip },
    thirdSubjects:
      thirdNips?.map((value) => ({ identifier: { type: 'Nip' as const, value }, name: null, role: 2 })) ??
      stated?.thirdSubjects ??
      [],
    authorizedSubject:
      authorizedNip === undefined ? (stated?.authorizedSubject ?? null) : { nip: authorizedNip, name: null, role: 3 },
  };
}
