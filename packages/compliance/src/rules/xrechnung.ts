import { valueOf, type Element } from '../element.js';
import type { Group, InvoiceModel } from '../invoice-model.js';
import { eachGroup, failure, groupsAt, type Failure, type Rule, type RuleSet } from './rule.js';

const SETS: readonly RuleSet[] = ['XRECHNUNG'];
const TAXED: ReadonlySet<string> = new Set(['S', 'Z', 'E', 'AE', 'K', 'G', 'L', 'M']);
const TYPES: ReadonlySet<string> = new Set(['326', '380', '384', '389', '381', '875', '876', '877']);
const CIUS = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
const SPECIFICATIONS: ReadonlySet<string> = new Set([
  CIUS,
  `${CIUS}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0`,
  `${CIUS}#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9`,
]);
const SKONTO = /^#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(?:#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$/;
const EMAIL = /^[^@\s]+@(?:[^@.\s]+\.)+[^@.\s]+$/;
const ABSOLUTE_URL = /^[a-zA-Z][a-zA-Z0-9+.-]+:/;
/**
 * Maximum length of an e-mail address that is matched with the pattern. The limit bounds the time that matching takes.
 */
const EMAIL_LENGTH_MAX = 320;

function rule(id: string, test: Rule['test'], flag: Rule['flag'] = 'FATAL'): Rule {
  return { id, flag, sets: SETS, test };
}

function onDocument(id: string, test: (model: InvoiceModel) => string | undefined, flag: Rule['flag'] = 'FATAL'): Rule {
  return rule(
    id,
    (model) => {
      const message = test(model);
      return message === undefined ? [] : [failure(model.invoice.element, message)];
    },
    flag,
  );
}

function text(id: string, path: readonly string[], term: string, what: string): Rule {
  return eachGroup(
    id,
    path,
    (group) =>
      group.all(term).some((element) => valueOf(element) !== '')
        ? undefined
        : failure(group.first(term) ?? group.element, `Add ${what}.`),
    SETS,
  );
}

function taxedNeedsSeller({ invoice, syntax }: InvoiceModel): string | undefined {
  const levels = syntax === 'UBL' ? [...invoice.groups('BG-20'), ...invoice.groups('BG-21')] : [];
  const isTaxed =
    invoice.groups('BG-25').some((line) => line.all('anyCategory').some((code) => TAXED.has(valueOf(code)))) ||
    levels.some((group) => group.all('anyCategory').some((code) => TAXED.has(valueOf(code))));
  const seller = invoice.groups('BG-4');
  const isKnown =
    invoice.groups('BG-11').length > 0 ||
    seller.some((party) => [...party.all('BT-31'), ...party.all('BT-32')].some((id) => valueOf(id) !== ''));
  return !isTaxed || isKnown
    ? undefined
    : 'Add the VAT identifier (BT-31) or tax number (BT-32) of the seller, or its tax representative (BG-11).';
}

/**
 * Each line of the payment terms (BT-20) that begins with # states a cash discount, and the last such line ends with a
 * line break.
 */
function cashDiscount({ invoice }: InvoiceModel): readonly Failure[] {
  const terms = invoice.first('BT-20');
  if (terms === undefined) return [];
  const lines = terms.text.split(/\r?\n/).filter((line) => line.trim().startsWith('#'));
  if (lines.length === 0) return [];
  const rest = terms.text.split(/#.+#/).at(-1) ?? '';
  if (lines.every((line) => SKONTO.test(line.trim().replace(/\s+/g, ' '))) && /^\s*\n/.test(rest)) return [];
  return [
    failure(
      terms,
      'Write each cash discount (BT-20) on a separate line as #SKONTO#TAGE=14#PROZENT=2.00#, with a line break after the last.',
    ),
  ];
}

function fileNames({ invoice }: InvoiceModel): readonly Failure[] {
  const seen = new Set<string>();
  const repeated: Element[] = [];
  for (const attachment of groupsAt(invoice, ['BG-24']).flatMap((group) => group.all('BT-125'))) {
    const name = attachment.attributes.get('filename');
    if (name === undefined) continue;
    if (seen.has(name)) repeated.push(attachment);
    seen.add(name);
  }
  return repeated.map((attachment) => failure(attachment, 'Give each attachment (BT-125) a different file name.'));
}

function iban(id: string, code: string, term: string, what: string): Rule {
  return eachGroup(
    id,
    ['BG-16'],
    (means) =>
      means.value('BT-81') !== code || isIban(means.first(term)?.text ?? '')
        ? undefined
        : failure(
            means.first(term) ?? means.element,
            `Give ${what} as an IBAN with correct check digits: payment means ${code} is SEPA.`,
          ),
    SETS,
    'WARNING',
  );
}

/**
 * Checks the structure and the check digits (modulus 97) of an IBAN. The rule does not check the length for each
 * country.
 */
function isIban(written: string): boolean {
  const value = written.replace(/\s/g, '');
  if (!/^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{0,30}$/.test(value)) return false;
  let remainder = 0;
  for (const character of (value.slice(4) + value.slice(0, 4)).toUpperCase()) {
    for (const digit of /[A-Z]/.test(character) ? String(character.charCodeAt(0) - 55) : character) {
      remainder = (remainder * 10 + Number(digit)) % 97;
    }
  }
  return remainder === 1;
}

/**
 * Kinds of payment means: transfer, card and direct debit. Each kind requires its own group and excludes the groups of
 * the other kinds.
 */
const paymentGroups = [
  { number: '23', codes: ['30', '58'], needed: 'BG-17', forbidden: ['BG-18', 'BG-19'], what: 'a credit transfer' },
  { number: '24', codes: ['48', '54', '55'], needed: 'BG-18', forbidden: ['BG-17', 'BG-19'], what: 'a card payment' },
  { number: '25', codes: ['59'], needed: 'BG-19', forbidden: ['BG-17', 'BG-18'], what: 'a direct debit' },
] as const;

function hasPaymentGroup(code: string, means: Group, { invoice, syntax }: InvoiceModel): boolean {
  if (code !== 'BG-19' || syntax === 'UBL') return means.has(code);
  return invoice.has('BT-89') || invoice.has('BT-90') || means.has('BT-91');
}

function paymentGroup(row: (typeof paymentGroups)[number]): readonly Rule[] {
  const applies = (means: Group): boolean => (row.codes as readonly string[]).includes(means.value('BT-81'));
  return [
    eachGroup(
      `BR-DE-${row.number}-a`,
      ['BG-16'],
      (means, model) =>
        !applies(means) || hasPaymentGroup(row.needed, means, model)
          ? undefined
          : failure(
              means.element,
              `Add the group ${row.needed}: payment means ${means.value('BT-81')} is ${row.what}.`,
            ),
      SETS,
    ),
    eachGroup(
      `BR-DE-${row.number}-b`,
      ['BG-16'],
      (means, model) => {
        const isForbidden =
          row.forbidden.some((code) => hasPaymentGroup(code, means, model)) ||
          (row.needed === 'BG-19' && means.has('bankOfDebit'));
        if (!applies(means) || !isForbidden) return undefined;
        return failure(
          means.element,
          `Remove the groups ${row.forbidden.join(' and ')}: payment means ${means.value('BT-81')} is ${row.what}.`,
        );
      },
      SETS,
    ),
  ];
}

function directDebit(id: string, term: string, what: string): Rule {
  return onDocument(id, ({ invoice, syntax }) => {
    const isDebit =
      syntax === 'UBL' ? invoice.has('mandate') : ['BT-89', 'BT-90', 'BT-91'].some((code) => invoice.has(code));
    return !isDebit || invoice.has(term)
      ? undefined
      : `Add ${what} (${term}): the invoice is paid by direct debit (BG-19).`;
  });
}

function hasDelivery({ invoice }: InvoiceModel): boolean {
  return (
    invoice.has('BT-72') ||
    invoice.groups('BG-14').length > 0 ||
    invoice.groups('BG-25').every((line) => line.groups('BG-26').length > 0)
  );
}

function externalAddress({ invoice, syntax }: InvoiceModel): readonly Failure[] {
  return invoice
    .groups('BG-24')
    .filter((group) =>
      syntax === 'UBL' ? group.has('external') : group.value('documentType') === '916' && group.has('BT-124'),
    )
    .filter((group) => !ABSOLUTE_URL.test(group.first('BT-124')?.text ?? ''))
    .map((group) =>
      failure(
        group.first('BT-124') ?? group.element,
        'State the location of the document (BT-124) as an absolute URL.',
      ),
    );
}

/**
 * Checks that the net and the gross price of an invoice line refer to the same quantity. Only CII states the quantity
 * twice.
 */
function priceQuantities({ invoice }: InvoiceModel): readonly Failure[] {
  return invoice.groups('BG-25').flatMap((line) => {
    const net = line.first('BT-149');
    const gross = line.first('grossBaseQuantity');
    if (net === undefined || gross === undefined) return [];
    const [netUnit, grossUnit] = [net, gross].map((quantity) => quantity.attributes.get('unitCode'));
    const sameUnit = netUnit === undefined || grossUnit === undefined || netUnit === grossUnit;
    return net.text === gross.text && sameUnit
      ? []
      : [failure(gross, 'Give the gross and the net price the same base quantity and unit (BT-149, BT-150).')];
  });
}

/** Rules of XRechnung 3.0.2 (documents reference, section 9.2). */
export const xrechnungRules: readonly Rule[] = [
  onDocument('BR-DE-1', ({ invoice }) => (invoice.has('BG-16') ? undefined : 'Add the payment instructions (BG-16).')),
  rule('BR-DE-2', ({ invoice }) => {
    const seller = invoice.first('sellerParty');
    if (seller === undefined || invoice.groups('BG-4').some((party) => party.has('BG-6'))) return [];
    return [failure(seller, 'Add a contact of the seller (BG-6).')];
  }),
  text('BR-DE-3', ['BG-4', 'BG-5'], 'BT-37', 'the city of the seller (BT-37)'),
  text('BR-DE-4', ['BG-4', 'BG-5'], 'BT-38', 'the post code of the seller (BT-38)'),
  text('BR-DE-5', ['BG-4', 'BG-6'], 'contactName', 'the name of the contact of the seller (BT-41)'),
  text('BR-DE-6', ['BG-4', 'BG-6'], 'telephone', 'the telephone number of the contact of the seller (BT-42)'),
  text('BR-DE-7', ['BG-4', 'BG-6'], 'email', 'the e-mail address of the contact of the seller (BT-43)'),
  text('BR-DE-8', ['BG-7', 'BG-8'], 'BT-52', 'the city of the buyer (BT-52)'),
  text('BR-DE-9', ['BG-7', 'BG-8'], 'BT-53', 'the post code of the buyer (BT-53)'),
  text('BR-DE-10', ['BG-15'], 'BT-77', 'the city of the delivery address (BT-77)'),
  text('BR-DE-11', ['BG-15'], 'BT-78', 'the post code of the delivery address (BT-78)'),
  text('BR-DE-14', ['BG-23'], 'BT-119', 'the VAT rate of the breakdown (BT-119)'),
  onDocument('BR-DE-15', ({ invoice }) =>
    invoice.all('BT-10').some((element) => valueOf(element) !== '')
      ? undefined
      : 'Add the buyer reference (BT-10), for public buyers the Leitweg-ID.',
  ),
  onDocument('BR-DE-16', taxedNeedsSeller),
  onDocument(
    'BR-DE-17',
    ({ invoice }) =>
      TYPES.has(invoice.value('BT-3')) ? undefined : `Use one of these type codes (BT-3): ${[...TYPES].join(', ')}.`,
    'WARNING',
  ),
  rule('BR-DE-18', cashDiscount),
  iban('BR-DE-19', '58', 'iban', 'the account of the payee (BT-84)'),
  iban('BR-DE-20', '59', 'BT-91', 'the debited account (BT-91)'),
  onDocument(
    'BR-DE-21',
    ({ invoice, syntax }) =>
      (syntax === 'CII' && !invoice.has('context')) || SPECIFICATIONS.has(invoice.first('BT-24')?.text ?? '')
        ? undefined
        : `Set the specification identifier (BT-24) to the identifier of XRechnung 3.0, ${CIUS}.`,
    'WARNING',
  ),
  rule('BR-DE-22', fileNames),
  ...paymentGroups.flatMap(paymentGroup),
  onDocument(
    'BR-DE-26',
    ({ invoice }) =>
      invoice.value('BT-3') !== '384' || invoice.groups('BG-3').length > 0
        ? undefined
        : 'Name the invoice that this one corrects (BG-3).',
    'WARNING',
  ),
  eachGroup(
    'BR-DE-27',
    ['BG-4', 'BG-6'],
    (contact) =>
      contact.value('telephone').replace(/[^0-9]/g, '').length >= 3
        ? undefined
        : failure(
            contact.first('telephone') ?? contact.element,
            'State a telephone number (BT-42) with at least three digits.',
          ),
    SETS,
    'WARNING',
  ),
  eachGroup(
    'BR-DE-28',
    ['BG-4', 'BG-6'],
    (contact) => {
      const email = contact.value('email');
      return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email)
        ? undefined
        : failure(
            contact.first('email') ?? contact.element,
            'State an e-mail address (BT-43) such as name@example.com.',
          );
    },
    SETS,
    'WARNING',
  ),
  directDebit('BR-DE-30', 'BT-90', 'the creditor identifier'),
  directDebit('BR-DE-31', 'BT-91', 'the debited account'),
  onDocument(
    'BR-DE-TMP-32',
    (model) =>
      hasDelivery(model)
        ? undefined
        : 'Add the delivery date (BT-72), the invoicing period (BG-14) or a period for each line (BG-26).',
    'INFORMATION',
  ),
  rule('BR-TMP-2', externalAddress, 'WARNING'),
  rule('BR-TMP-3', priceQuantities),
];
